import type { CsrView } from "../../lib/x509/decode.ts";
import { refusedToken } from "../../api/transport.ts";
import { isEqual } from "../../lib/is-equal.ts";
import { place } from "../../lib/place.ts";
import { noSubject, usualLifetime, type Lifetime, type Subject } from "./issue-values.ts";

/** The values that the user has entered in the form. */
export interface Typed {
  readonly names: readonly string[];
  readonly csr: { readonly text: string; readonly view?: CsrView };
  readonly lifetime: Lifetime;
  readonly subject: Subject;
  readonly kind: string;
}

/** The contents of an empty form. */
export const blank: Typed = {
  names: [""],
  csr: { text: "" },
  lifetime: usualLifetime,
  subject: noSubject,
  kind: "",
};

/** The input of a form that the user left without issuing. It is kept until the page is closed. */
let draft: { readonly of: string; readonly typed: Typed } | undefined;

/** Returns the server, the mount and the token to which a draft belongs. */
const owner = (token = place.get().token): string => {
  const { base, mount } = place.get();
  return JSON.stringify([base, mount, token]);
};

/** Reports whether the form is empty. */
export const isBlank = (typed: Typed): boolean => isEqual(typed, blank);

/**
 * Returns the initial input: the names in the URL, or else the stored draft. The draft of a token
 * that the server has rejected belongs to the next one.
 */
export function initialInput(names: string | null): Typed {
  if (names !== null) return { ...blank, names: names.split(",") };
  const owners = [owner(), owner(refusedToken.get().token)];
  return draft && owners.includes(draft.of) ? draft.typed : blank;
}

/**
 * Stores the input until the user returns to the form. Call this in a layout effect, because other
 * effects that are pending when the user leaves do not run.
 */
export function storeDraft(typed: Typed): void {
  draft = isBlank(typed) ? undefined : { of: owner(), typed };
}
