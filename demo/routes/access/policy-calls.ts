import type { TestPoliciesInput, TestPoliciesReply } from "../../../src/client/sys.ts";
import { call, listing, readData } from "../../api/call.ts";
import * as sys from "../../api/endpoints/sys.ts";
import { isForbidden, type Reply } from "../../api/transport.ts";
import { place } from "../../lib/place.ts";

/** Returns the names of all policies, sorted. */
export const policyNames = async (): Promise<readonly string[]> =>
  (await listing(sys.listPolicies)).keys.toSorted();

/** Returns the text of a policy. */
export const policy = async (name: string): Promise<string> =>
  (await readData(sys.readPolicy, { name })).policy;

export const savePolicy = (name: string, text: string): Promise<Reply<unknown>> =>
  call(sys.writePolicy, { name, policy: text });

export const deletePolicy = (name: string): Promise<Reply<unknown>> =>
  call(sys.deletePolicy, { name });

/** Tests whether policies would allow a request, without sending the request. */
export const testPolicies = (question: TestPoliciesInput): Promise<TestPoliciesReply> =>
  readData(sys.testPolicies, question);

/**
 * Returns the paths of all CA mounts, or only the current mount's path if the token may not list
 * mounts.
 */
export async function mountPaths(): Promise<readonly string[]> {
  try {
    const all = await readData(sys.listMounts);
    return Object.entries(all)
      .filter(([, { type }]) => type === "pki")
      .map(([path]) => path.replace(/\/$/, ""));
  } catch (error) {
    if (isForbidden(error)) return [place.get().mount];
    throw error;
  }
}
