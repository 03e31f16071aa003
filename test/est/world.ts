import { readCertsOnly } from "../../src/archive/pkcs7.ts";
import { decodePem } from "../../src/base/pem.ts";
import { integer, oid, sequence, set, tlv, utf8String } from "../../src/base/der.ts";
import { assembleSigned, type Certificate } from "../../src/x509/certificate.ts";
import { encodeCsrInfo } from "../../src/x509/csr.ts";
import type { Extension } from "../../src/x509/extension.ts";
import { encodeName, type Rdn } from "../../src/x509/name.ts";
import { algorithmIdentifier } from "../../src/x509/public-key.ts";
import { noNames, subjectAltName, type GeneralNames } from "../../src/x509/san.ts";
import { commonName, defined } from "../x509/fixture.ts";
import { newKey, type Key } from "../net/tls-fixture.ts";
import { authority, type Authority, type AuthorityOptions } from "../support/authority.ts";

/** The contents of a CSR. */
export interface Wanted {
  readonly key?: Key;
  readonly name?: string;
  readonly subject?: readonly Rdn[];
  readonly names?: Partial<GeneralNames>;
  readonly extensions?: readonly (Extension | undefined)[];
  readonly challengePassword?: string;
  /** An attribute instead of the requested extensions, in DER. */
  readonly attribute?: Uint8Array;
}
/** Returns a PKCS#10 CSR in DER. */
export async function csrOf(wanted: Wanted = {}): Promise<Uint8Array> {
  const { key = await newKey(), name = "device.example", names = {} } = wanted;
  const { subject = commonName(name), extensions = [], challengePassword } = wanted;
  const { attribute = challengePassword && challenge(challengePassword) } = wanted;
  const asked = encodeCsrInfo({
    subject: encodeName(subject),
    spki: key.key.spki,
    extensions: defined([subjectAltName({ ...noNames, ...names }, false), ...extensions]),
  });
  const info = attribute ? withAttribute(key, subject, attribute) : asked;
  return assembleSigned(info, algorithmIdentifier(key.scheme), await key.sign(info));
}
const challenge = (password: string): Uint8Array =>
  sequence(oid("1.2.840.113549.1.9.7"), set(utf8String(password)));
const withAttribute = (key: Key, subject: readonly Rdn[], attribute: Uint8Array): Uint8Array =>
  sequence(integer(0), encodeName(subject), key.key.spki, tlv(0xa0, attribute));

/** Returns a PKCS#10 CSR in base64 with line breaks. */
export const bodyOf = async (wanted: Wanted = {}): Promise<string> => inLines(await csrOf(wanted));

/** Options of a client's request. */
export interface Asking {
  /** `name:password` of HTTP Basic. */
  readonly basic?: string;
  readonly tlsChain?: readonly Uint8Array[];
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly method?: string;
}
/** The response to an EST client. */
export interface EstAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}
export async function ask(a: Authority, path: string, asking: Asking = {}): Promise<EstAnswer> {
  const { basic, tlsChain, address, body } = asking;
  const method = asking.method ?? (body === undefined ? "GET" : "POST");
  const request = new Request(`https://ca.example${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/pkcs10" }),
      ...(basic === undefined
        ? {}
        : { authorization: `Basic ${Buffer.from(basic).toString("base64")}` }),
      ...asking.headers,
    },
    ...(body === undefined ? {} : { body: body as BodyInit }),
  });
  const peer = { ...(tlsChain ? { tlsChain } : {}), ...(address === undefined ? {} : { address }) };
  const answer = await a.ca.fetch(request, { peer });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Encodes DER as clients do: base64 in lines of 76 characters that end with CRLF. */
export const inLines = (der: Uint8Array): string =>
  Buffer.from(der).toString("base64").replace(/.{76}/g, "$&\r\n");

/** Parses the certificates of a response, and requires everything that a strict client could. */
export function certificatesIn({ status, headers, text }: EstAnswer): readonly Certificate[] {
  const [type, ...parameters] = (headers.get("content-type") ?? "").split(";");
  const isRight =
    status === 200 &&
    type === "application/pkcs7-mime" &&
    parameters.some((one) => one.trim() === "smime-type=certs-only") &&
    headers.get("content-transfer-encoding") === "base64" &&
    headers.get("cache-control") === "no-store" &&
    text.split("\n").every((line) => /^[A-Za-z0-9+/]{0,64}={0,2}$/.test(line));
  if (!isRight) throw new Error(`no certificates: ${status} ${type} ${text}`);
  return readCertsOnly(Uint8Array.from(Buffer.from(text, "base64")));
}

const accessorOf = async (a: Authority, path: string): Promise<string> => {
  const { data } = await a.call("GET", "sys/auth");
  // the type that the endpoint declares
  return (data[`${path}/`] as { readonly accessor: string }).accessor;
};
/** Returns a policy that permits enrollment. */
export const enrolling = (...paths: readonly string[]): string =>
  paths.map((path) => `path "${path}" { capabilities = ["create", "update"] }`).join("\n");

/** An authority whose mount `pki` has EST enabled, and the credentials of clients. */
export interface World {
  readonly a: Authority;
  readonly accessors: Readonly<Record<"userpass" | "approle" | "cert", string>>;
  readonly root: string;
  readonly roleId: string;
  secretId(more?: object): Promise<string>;
}
/** User name and password of the user. */
export const alice = "alice:correct horse battery";

/**
 * Creates the world. `config` overrides the settings, which have the label `dev` and the default
 * path, both with the role `web`.
 */
export async function world(config: object = {}, options: AuthorityOptions = {}): Promise<World> {
  const a = authority(options);
  const { certificate: root } = await a.root();
  await a.role("web", { server_flag: false });
  for (const type of ["userpass", "approle", "cert"]) {
    await a.call("POST", `sys/auth/${type}`, { type });
    await a.call("POST", `sys/auth/${type}/tune`, { token_type: "batch" });
  }
  const accessors = {
    userpass: await accessorOf(a, "userpass"),
    approle: await accessorOf(a, "approle"),
    cert: await accessorOf(a, "cert"),
  };
  await a.call("POST", "sys/policies/acl/device", {
    policy: enrolling("pki/roles/web/est/simpleenroll", "pki/roles/web/est/simplereenroll"),
  });
  const [, password = ""] = alice.split(":");
  await a.call("POST", "auth/userpass/users/alice", { password, token_policies: "device" });
  await a.call("POST", "auth/approle/role/device", { token_policies: "device" });
  await a.call("POST", "auth/cert/certs/device", { certificate: root, token_policies: "device" });
  await a.call("POST", "sys/mounts/pki/tune", {
    delegated_auth_accessors: Object.values(accessors),
  });
  const written = await a.call("POST", "pki/config/est", {
    enabled: true,
    default_mount: true,
    default_path_policy: "role:web",
    label_to_path_policy: { dev: "role:web" },
    authenticators: {
      userpass: { accessor: accessors.userpass },
      approle: { accessor: accessors.approle },
      cert: { accessor: accessors.cert, cert_role: "device" },
    },
    ...config,
  });
  if (written.status !== 200) throw new Error(written.text);
  const { data } = await a.call("GET", "auth/approle/role/device/role-id");
  return {
    a,
    accessors,
    root,
    roleId: String(data["role_id"]),
    secretId: async (more = {}) => {
      const made = await a.call("POST", "auth/approle/role/device/secret-id", more);
      return String(made.data["secret_id"]);
    },
  };
}
/** Enrolls a client. Returns its certificate and key. */
export async function enrolled(
  { a }: World,
  wanted: Wanted = {},
): Promise<{ readonly der: Uint8Array; readonly key: Key }> {
  const key = wanted.key ?? (await newKey());
  const body = inLines(await csrOf({ ...wanted, key }));
  const answer = await ask(a, "/.well-known/est/simpleenroll", { basic: alice, body });
  const [own] = certificatesIn(answer);
  if (!own) throw new Error("no certificate");
  return { der: own.der, key };
}
export const derIn = (pem: string): Uint8Array => decodePem(pem)[0]?.der ?? new Uint8Array(0);
