import { CaError, memoryStore } from "../../../src/index.ts";
import { authority, type Authority, type AuthorityOptions } from "../../support/authority.ts";

/** Collects all parts of a backup. */
export async function gathered(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return all;
}
/** Creates an authority with a root and a role for any name. */
export async function used(options: AuthorityOptions = {}): Promise<Authority> {
  const a = authority(options);
  await a.root();
  await a.role("web", { max_ttl: "48h" });
  return a;
}
/** Issues a certificate and returns its serial number. */
export const issued = async (a: Authority, name = "a.test"): Promise<string> =>
  (await a.pki.issue({ role: "web", common_name: name, ttl: "24h" })).serial_number;
/** Creates an empty deployment, by default with the same sealing key. */
export const fresh = (options: AuthorityOptions = {}): Authority =>
  authority({ seed: 2, stores: memoryStore(), ...options });
/** Returns a backup in parts of a few rows. */
export const inParts = (a: Authority): Promise<Uint8Array[]> =>
  gathered(a.ca.backup("pki", { partBytes: 1000 }));
/** Returns the error code and text of a library call, or `granted`. */
export async function ending(call: Promise<unknown>): Promise<readonly [string, string]> {
  try {
    await call;
  } catch (error) {
    if (error instanceof CaError) return [error.code, error.message];
    throw error;
  }
  return ["granted", ""];
}
/** Returns all rows of a mount by its UUID, and the mounts of the deployment. */
export async function storedOf(a: Authority, uuid: string): Promise<unknown> {
  return [await a.stores(uuid).list(""), await a.stores("sys").list("mounts/")];
}
/** Returns the UUID of the mount `pki`. */
export const uuidOf = async (a: Authority): Promise<string> =>
  (await a.sys.readMount({ path: "pki" })).uuid;
