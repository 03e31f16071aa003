import { ask, list, request, type Reply } from "../../api/transport.ts";
import { refs } from "../../api/pki.ts";

const at = "sys/policies/acl";

/** Names of all policies, sorted. */
export const policyNames = async (): Promise<readonly string[]> =>
  [...(await list(at)).keys].toSorted();

/** The text of a policy. */
export const policy = async (name: string): Promise<string> =>
  (await ask<{ policy: string }>("GET", `${at}/${refs(name)}`)).policy;

export const savePolicy = (name: string, text: string): Promise<Reply<unknown>> =>
  request("POST", `${at}/${refs(name)}`, { policy: text });

export const deletePolicy = (name: string): Promise<Reply<unknown>> =>
  request("DELETE", `${at}/${refs(name)}`);

/** A request that is judged without being made. */
export interface Question {
  readonly path: string;
  readonly capability: string;
  /** Names of policies, or whose: a token or an accessor. */
  readonly policies?: readonly string[];
  readonly token?: string;
  readonly accessor?: string;
  /** Text of a policy that is not stored. */
  readonly policy?: string;
}

/** Whether a request would be granted, and the rule that says so. */
export interface Answer {
  readonly granted: boolean;
  readonly reason: string;
  /** Those that were judged by; `draft` for a text that was sent. */
  readonly policies: readonly string[];
  /** Those of them that do not exist. */
  readonly missing: readonly string[];
  readonly decided_by: readonly string[];
  /** Null when none matches. */
  readonly pattern: string | null;
  readonly rule: Readonly<Record<string, unknown>> | null;
}

export const testPolicies = (question: Question): Promise<Answer> =>
  ask("POST", "sys/policies/test", question);
