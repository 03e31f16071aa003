import { useEffect, useState } from "preact/hooks";
import type { ExplainIssueReply } from "../../src/client/pki.ts";
import { readData } from "./call.ts";
import { explainIssue, explainSign } from "./endpoints/pki.ts";
import type { IssueFields, SignFields } from "./certificates.ts";
import { changes } from "../lib/changes.ts";
import { isForbidden, unknownCall } from "./transport.ts";
import { place } from "../lib/place.ts";
import { asError, useStore } from "../lib/store.ts";

/** The fields of a certificate request: for `sign` if they contain a CSR, otherwise for `issue`. */
export type CertificateRequest = IssueFields | SignFields;

/** Requests a dry run of `issue` or `sign`. */
export const explain = (role: string, fields: CertificateRequest): Promise<ExplainIssueReply> =>
  "csr" in fields
    ? readData(explainSign, { ...fields, role })
    : readData(explainIssue, { ...fields, role });

/**
 * The state of a dry run: the response or error, if any, and whether the server supports dry runs.
 */
export interface DryRun {
  readonly explanation?: ExplainIssueReply;
  /** Whether the server is too old to support dry runs. */
  readonly missing: boolean;
  readonly error?: Error;
  /** Whether a new response is pending, so that the current one belongs to earlier input. */
  readonly busy: boolean;
}

const pause = 200;

/**
 * Returns the state of a dry run, which is requested whenever the user pauses typing, unless
 * `fields` is undefined because the form is incomplete. A refresh repeats the dry run in the
 * background, because the role and the permissions may have changed.
 */
export function useExplanation(role: string, fields: CertificateRequest | undefined): DryRun {
  const [state, set] = useState<{
    of: string;
    explanation?: ExplainIssueReply;
    missing?: boolean;
    error?: Error;
  }>({ of: "" });
  const { base, mount: where } = place.get();
  // A change of the configuration can change the response.
  const { turn, change } = useStore(changes, (value) => value);
  const request = fields ? JSON.stringify([base, where, role, fields, change]) : "";
  useEffect(() => {
    if (!fields || state.missing) return;
    const isRepeated = state.of === request;
    let isOutdated = false;
    const finish = (result: Omit<typeof state, "of">): void => {
      if (!isOutdated) set({ of: request, ...result });
    };
    const timer = setTimeout(() => {
      explain(role, fields).then(
        (explanation) => finish({ explanation }),
        (error: unknown) => {
          if (unknownCall(error)) finish({ missing: true });
          else if (!isRepeated || state.error || isForbidden(error))
            finish({ error: asError(error) });
        },
      );
    }, pause);
    return () => {
      isOutdated = true;
      clearTimeout(timer);
    };
  }, [request, turn]);
  const { explanation, error, missing = false } = state;
  return {
    missing,
    busy: !missing && request !== "" && state.of !== request,
    ...(explanation && { explanation }),
    ...(error && { error }),
  };
}
