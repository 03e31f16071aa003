import { expect } from "vitest";
import { sequence } from "../../src/base/der.ts";
import { encodePem } from "../../src/base/pem.ts";
import { algorithmIdentifier } from "../../src/x509/public-key.ts";
import { assembleSigned } from "../../src/x509/certificate.ts";
import { encodeCsrInfo } from "../../src/x509/csr.ts";
import type * as extension from "../x509/extensions.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { authority, type Answer, type Authority } from "../support/authority.ts";
import { threadTime } from "../support/spent.ts";
import { keyOf, request } from "../pki/reading.ts";

/** Returns the first error of a reply, or its status. */
export const outcome = (answer: Answer): unknown => answer.errors[0] ?? answer.status;
/**
 * Creates an authority with a root and the role `web`, which allows any name and key unless `role`
 * restricts them.
 */
export async function authorityWithRole(
  role: object = {},
  options: Parameters<typeof authority>[0] = {},
): Promise<Authority> {
  const a = authority(options);
  await a.root();
  await writeRole(a, role);
  return a;
}
/** Writes the role `web`: any name and any key, for an hour. */
export const writeRole = (a: Authority, role: object): Promise<Answer> =>
  a.call("POST", "pki/roles/web", { key_type: "any", allow_any_name: true, ttl: "1h", ...role });
/** Sends a CSR with these contents to `pki/<path>`. */
export const sign = async (
  a: Authority,
  csr: Parameters<typeof request>[0],
  path = "sign/web",
  body: object = {},
): Promise<Answer> => a.call("POST", `pki/${path}`, { csr: await request(csr), ...body });
/** Requests a certificate of the role `web`. */
export const issue = (a: Authority, body: object): Promise<Answer> =>
  a.call("POST", "pki/issue/web", body);
/** Returns all rows of the mount `pki`, without revisions. */
export async function storedRows(a: Authority): Promise<string> {
  const mounts = (await a.ca.sys.listMounts({})) as unknown as Readonly<
    Record<string, { readonly uuid: string }>
  >;
  return JSON.stringify(
    (await a.stores(mounts["pki/"]?.uuid ?? "").list("")).map(([key, { value }]) => [key, value]),
  );
}
/**
 * Asserts that a request is rejected with status 400 and this error, in less than 2,000 characters
 * and 2 s of CPU time of this thread.
 */
export async function expectQuickRefusal(
  call: () => Promise<Answer>,
  text: string | RegExp,
): Promise<void> {
  const begun = threadTime();
  const answer = await call();
  const spent = threadTime() - begun;
  expect([answer.status, outcome(answer)]).toEqual([
    400,
    typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text),
  ]);
  expect(answer.text.length).toBeLessThan(2000);
  expect(spent).toBeLessThan(2000);
}
/** Signs CertificationRequestInfo, whatever it contains, and returns the CSR as PEM. */
export async function signedCsr(
  info: Uint8Array,
  kind: Parameters<typeof keyOf>[0] = "P-256",
): Promise<string> {
  const key = await keyOf(kind);
  return encodePem(
    "CERTIFICATE REQUEST",
    assembleSigned(info, algorithmIdentifier(key.scheme), await key.sign(info)),
  );
}
/** Encodes CertificationRequestInfo. `spki`: default a P-256 key. */
export async function csrInfo(
  subject: Uint8Array,
  extensions: readonly extension.Extension[],
  spki?: Uint8Array,
): Promise<Uint8Array> {
  return encodeCsrInfo({ subject, spki: spki ?? (await keyOf("P-256")).key.spki, extensions });
}
/** Returns the SAN extension of encoded general names. */
export const san = (...names: readonly Uint8Array[]): extension.Extension => ({
  oid: extensionOid.subjectAltName,
  critical: false,
  value: sequence(...names),
});
