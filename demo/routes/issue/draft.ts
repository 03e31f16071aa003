import type { CsrView } from "../../lib/x509/decode.ts";
import { isEqual } from "../../lib/is-equal.ts";
import { place } from "../../lib/place.ts";
import { noSubject, usualLifetime, type Lifetime, type Subject } from "./issue-values.ts";

/** The typed values of the form. */
export interface Typed {
  readonly names: readonly string[];
  readonly csr: { readonly text: string; readonly view?: CsrView };
  readonly lifetime: Lifetime;
  readonly subject: Subject;
  readonly kind: string;
}

/** The empty form. */
export const blank: Typed = {
  names: [""],
  csr: { text: "" },
  lifetime: usualLifetime,
  subject: noSubject,
  kind: "",
};

/** The input that the user left without issuing: lives as long as the page. */
let draft: { readonly of: string; readonly typed: Typed } | undefined;

/** The server, mount and token of the draft; only they can continue it. */
const owner = (): string => {
  const { base, mount, token } = place.get();
  return JSON.stringify([base, mount, token]);
};

/** Reports whether nothing is typed. */
export const isBlank = (typed: Typed): boolean => isEqual(typed, blank);

/** Returns the input to begin with: the names in the address, or the input left before. */
export function initialInput(names: string | null): Typed {
  if (names !== null) return { ...blank, names: names.split(",") };
  return draft?.of === owner() ? draft.typed : blank;
}

/**
 * Keeps the input for when the user returns to the form. For layout effects: others may still be
 * pending when the user leaves, and then do not run.
 */
export function storeDraft(typed: Typed): void {
  draft = isBlank(typed) ? undefined : { of: owner(), typed };
}
