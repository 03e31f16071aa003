import { useEffect, useRef, useState } from "preact/hooks";
import type { ExplainIssueReply } from "../../src/client/pki.ts";
import { readData } from "./call.ts";
import { explainIssue, explainSign } from "./endpoints/pki.ts";
import { type IssueFields, type SignFields, changes } from "./pki.ts";
import { unknownCall } from "./transport.ts";
import { place } from "../lib/place.ts";
import { asError, useStore } from "../lib/store.ts";

/** A certificate request: `sign` if it has a CSR, else `issue`. */
export type CertificateRequest = IssueFields | SignFields;

/** Runs `issue` or `sign` without issuing. */
export const explain = (role: string, fields: CertificateRequest): Promise<ExplainIssueReply> =>
  "csr" in fields
    ? readData(explainSign, { ...fields, role })
    : readData(explainIssue, { ...fields, role });

/** The state of a dry run: the server's reply, no support for dry runs, or an error. */
export interface DryRun {
  readonly explanation?: ExplainIssueReply;
  /** True if the server is too old for dry runs. */
  readonly missing: boolean;
  readonly error?: Error;
  /** True while the reply is for earlier input. */
  readonly busy: boolean;
}

const pause = 200;

/**
 * Starts a dry run whenever typing pauses. `fields` is undefined while the form is incomplete. A
 * refresh repeats it in the background, because role and permissions may have changed meanwhile.
 */
export function useExplanation(role: string, fields: CertificateRequest | undefined): DryRun {
  const [state, set] = useState<{
    of: string;
    explanation?: ExplainIssueReply;
    missing?: boolean;
    error?: Error;
  }>({ of: "" });
  const { base, mount: where } = place.get();
  // A configuration change can change the reply.
  const { turn, change } = useStore(changes, (value) => value);
  const request = fields ? JSON.stringify([base, where, role, fields, change]) : "";
  const latest = useRef(request);
  latest.current = request;
  useEffect(() => {
    if (!fields || state.missing) return;
    const isRepeated = state.of === request;
    const finish = (result: Omit<typeof state, "of">): void => {
      if (latest.current === request) set({ of: request, ...result });
    };
    const timer = setTimeout(() => {
      explain(role, fields).then(
        (explanation) => finish({ explanation }),
        (error: unknown) => {
          if (unknownCall(error)) finish({ missing: true });
          else if (!isRepeated || state.error) finish({ error: asError(error) });
        },
      );
    }, pause);
    return () => clearTimeout(timer);
  }, [request, turn]);
  const { explanation, error, missing = false } = state;
  return {
    missing,
    busy: !missing && request !== "" && state.of !== request,
    ...(explanation && { explanation }),
    ...(error && { error }),
  };
}
