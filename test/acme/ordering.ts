import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { asBytes } from "../../src/base/bytes.ts";
import type { AuthzRow } from "../../src/acme/rows/records.ts";
import { parsePublicKey } from "../../src/x509/public-key.ts";
import { makeCsr, makeKey, commonName, type TestKey } from "../x509/fixture.ts";
import type { Extension } from "../x509/extensions.ts";
import { keyOf, readCertificate, sanOf } from "../pki/reading.ts";
import type { AcmeAuthority, AcmeClient, AcmeReply } from "./client.ts";
import { type AcmeKey, keyOf as acmeKeyOf } from "./key.ts";

export type Identifier = { readonly type: string; readonly value: string };
/** Returns the identifiers of DNS names and IP addresses. */
export const identifiersOf = (...values: readonly string[]): readonly Identifier[] =>
  values.map((value) => ({ type: /^[\d.]+$|:/.test(value) ? "ip" : "dns", value }));

/** Returns a CSR for finalize; names as in `identifiersOf`. */
export async function csrOf({
  names = [],
  cn,
  key,
  more = [],
  san,
}: {
  readonly names?: readonly string[];
  readonly cn?: string | undefined;
  readonly key?: TestKey;
  readonly more?: readonly (Extension | undefined)[];
  readonly san?: Parameters<typeof sanOf>[0];
}): Promise<string> {
  const kinds = identifiersOf(...names);
  const values = (type: string) =>
    kinds.filter((one) => one.type === type).map(({ value }) => value);
  const extensions = [
    names.length > 0 || san ? sanOf({ dns: values("dns"), ip: values("ip"), ...san }) : undefined,
    ...more,
  ].filter((one) => one !== undefined);
  const der = await makeCsr(
    key ?? (await keyOf("P-256")),
    cn === undefined ? [] : commonName(cn),
    extensions,
  );
  return Buffer.from(der).toString("base64url");
}

/** Returns the order in a response. */
export const orderIn = ({ json }: AcmeReply) => ({
  status: String(json["status"]),
  authorizations: json["authorizations"] as readonly string[],
  finalize: String(json["finalize"]),
  certificate: String(json["certificate"]),
});
const idOf = (url: string): string => url.slice(url.lastIndexOf("/") + 1);

/** Changes the stored row of an authorization, as validation does. */
export async function setAuthorization(
  a: AcmeAuthority,
  url: string,
  change: (row: AuthzRow) => AuthzRow,
): Promise<void> {
  const store = a.stores(await a.uuid());
  const key = `authz/${idOf(url)}`;
  const [row] = await store.get([key]);
  if (!row) throw new Error(`no row ${key}`);
  const value = change(row.value as AuthzRow);
  await store.commit({ put: [[key, value, { acme_end: value.expires }]] });
}
/** Makes authorizations valid, as validation does. */
export async function prove(a: AcmeAuthority, urls: readonly string[]): Promise<void> {
  for (const url of urls)
    await setAuthorization(a, url, (row) => ({
      ...row,
      status: "valid",
      expires: Math.floor(a.clock.now / 1000) + 15 * 86_400,
      challenges: row.challenges.map((one, i) => (i === 0 ? { ...one, status: "valid" } : one)),
    }));
}

/** Orders a certificate for names. */
export const newOrder = async (
  client: AcmeClient,
  names: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<AcmeReply> =>
  client.post(await client.url("newOrder"), { identifiers: identifiersOf(...names), ...more });

/** Creates an order whose authorizations are valid, and returns its URL. */
export async function readyOrder(
  a: AcmeAuthority,
  client: AcmeClient,
  names: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const made = await newOrder(client, names, more);
  if (made.status !== 201) throw new Error(made.text);
  await prove(a, orderIn(made).authorizations);
  return made.location;
}
/** Finalizes an order with a CSR for names, or with the given CSR. */
export const finalize = async (
  client: AcmeClient,
  order: string,
  csr: Parameters<typeof csrOf>[0] | string,
): Promise<AcmeReply> =>
  client.post(`${order}/finalize`, { csr: typeof csr === "string" ? csr : await csrOf(csr) });

/** Returns the PEM certificates of a chain. */
export const chainIn = ({ text }: AcmeReply): readonly string[] =>
  text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
/** Orders, proves, finalizes and downloads a certificate. Returns the chain and the order's URL. */
export async function issue(
  a: AcmeAuthority,
  client: AcmeClient,
  names: readonly string[],
  {
    csr = {},
    more = {},
  }: { readonly csr?: Parameters<typeof csrOf>[0]; readonly more?: object } = {},
) {
  const order = await readyOrder(a, client, names, { ...more });
  const done = await finalize(client, order, { names, ...csr });
  if (done.status !== 200) throw new Error(done.text);
  const chain = chainIn(await client.post(orderIn(done).certificate));
  return { order, chain, leaf: readCertificate(chain[0]) };
}
/** Returns the renewal information identifier of a certificate (RFC 9773 section 4.1). */
export function certificateIdOf(leaf: ReturnType<typeof readCertificate>): string {
  const aki = leaf.extensions.find(({ oid }) => oid === "2.5.29.35");
  const key = aki?.value.subarray(4) ?? new Uint8Array();
  return [key, leaf.serial].map((bytes) => Buffer.from(bytes).toString("base64url")).join(".");
}

/** Returns a key pair that can sign both CSRs and JWS. */
export async function sharedKey(): Promise<{
  readonly csr: TestKey;
  readonly acme: AcmeKey;
}> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pkcs8 = privateKey.export({ format: "der", type: "pkcs8" });
  const spki = new Uint8Array(createPublicKey(privateKey).export({ format: "der", type: "spki" }));
  const made = await makeKey("P-256");
  return {
    csr: {
      ...made,
      key: parsePublicKey(asBytes(spki)),
      sign: async (data) =>
        new Uint8Array(
          sign("sha256", data, createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" })),
        ),
    },
    acme: acmeKeyOf("ES256", privateKey, createPublicKey(privateKey)),
  };
}
