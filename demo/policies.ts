import { ask, list, request, type Reply } from "./api.ts";
import { ref } from "./pki.ts";

const at = "sys/policies/acl";

/** Names of all policies, sorted. */
export const policyNames = async (): Promise<readonly string[]> =>
  [...(await list(at)).keys].toSorted();

/** The text of a policy. */
export const policy = async (name: string): Promise<string> =>
  (await ask<{ policy: string }>("GET", `${at}/${ref(name)}`)).policy;

export const savePolicy = (name: string, text: string): Promise<Reply<unknown>> =>
  request("POST", `${at}/${ref(name)}`, { policy: text });

export const deletePolicy = (name: string): Promise<Reply<unknown>> =>
  request("DELETE", `${at}/${ref(name)}`);
