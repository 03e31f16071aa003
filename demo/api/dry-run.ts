import { useEffect, useRef, useState } from "preact/hooks";
import { ask, mount, unknownCall } from "./transport.ts";
import type { Explanation } from "../lib/issuance-findings.ts";
import { place } from "../lib/place.ts";
import { changes } from "./pki.ts";
import { asError, useStore } from "../lib/store.ts";

/** A dry run of `issue` or `sign`. */
export const explain = (
  call: "issue" | "sign",
  role: string,
  fields: object,
): Promise<Explanation> =>
  ask("POST", mount(`explain/${call}/${encodeURIComponent(role)}`), fields);

/** The state of a dry run: the server's reply, no support for dry runs, or an error. */
export interface DryRun {
  readonly said?: Explanation;
  /** The authority is too old to explain. */
  readonly missing: boolean;
  readonly error?: Error;
  /** The answer is for something that was typed before. */
  readonly busy: boolean;
}

const pause = 200;

/**
 * Asks for an explanation once typing has paused. `fields` undefined: there is nothing to ask yet.
 */
export function useExplanation(
  call: "issue" | "sign",
  role: string,
  fields: object | undefined,
): DryRun {
  const [state, set] = useState<{
    of: string;
    said?: Explanation;
    missing?: boolean;
    error?: Error;
  }>({ of: "" });
  const { base, mount: where } = place.get();
  // Changes of the configuration can change the reply.
  const turn = useStore(changes, (value) => value.turn);
  const wanted = fields ? JSON.stringify([base, where, call, role, fields, turn]) : "";
  const latest = useRef(wanted);
  latest.current = wanted;
  useEffect(() => {
    if (!fields || state.missing) return;
    const finish = (found: Omit<typeof state, "of">): void => {
      if (latest.current === wanted) set({ of: wanted, ...found });
    };
    const timer = setTimeout(() => {
      explain(call, role, fields).then(
        (said) => finish({ said }),
        (error: unknown) =>
          finish(unknownCall(error) ? { missing: true } : { error: asError(error) }),
      );
    }, pause);
    return () => clearTimeout(timer);
  }, [wanted]);
  const { said, error, missing = false } = state;
  return {
    missing,
    busy: !missing && wanted !== "" && state.of !== wanted,
    ...(said && { said }),
    ...(error && { error }),
  };
}
