import type { CaOptions } from "../../src/index.ts";
import { encodePem } from "../../src/base/pem.ts";
import { algorithmIdentifier } from "../../src/x509/public-key.ts";
import { parseCsr } from "../../src/x509/csr.ts";
import { encodeName, type Rdn } from "../../src/x509/name.ts";
import { authority, start, type Authority, type AuthorityOptions } from "../support/authority.ts";
import { derOf, keyOf, request, sanOf } from "../pki/reading.ts";
import { basicConstraints, extKeyUsage, keyUsage, type Extension } from "../x509/extensions.ts";
import { certify, commonName, defined, type TestKey } from "../x509/fixture.ts";

/** The request to an external policy, as passed to the host's function. */
export type Asked = Parameters<NonNullable<CaOptions["externalPolicy"]>>[0];
/** The contents of a template; by default, a leaf for `a.example`. */
export interface Template {
  readonly serial?: Uint8Array;
  readonly subject?: string | readonly Rdn[] | Uint8Array;
  /** Seconds from the start of the test. */
  readonly from?: number;
  readonly until?: number;
  /** Replaces the key of the CSR. */
  readonly spki?: Uint8Array;
  /** The signing key, although nothing verifies the signature. */
  readonly by?: TestKey;
  /** Replaces the AlgorithmIdentifier of the signature. */
  readonly algorithm?: Uint8Array;
  readonly names?: Parameters<typeof sanOf>[0];
  readonly extensions?: readonly (Extension | undefined)[];
}

const serverAuth = "1.3.6.1.5.5.7.3.1";
let count = 0;
/** Returns a new serial number of 16 octets. */
export const freshSerial = (): Uint8Array => {
  count++;
  return Uint8Array.of(0x41, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, count >> 8, count & 255);
};
const leafExtensions = (names: Parameters<typeof sanOf>[0]) => [
  keyUsage(["DigitalSignature"]),
  extKeyUsage([serverAuth]),
  sanOf(names),
];
/** Returns the extensions of a CA's template. */
export const caExtensions = (pathLength?: number): readonly (Extension | undefined)[] => [
  keyUsage(["CertSign", "CRLSign"]),
  basicConstraints(true, pathLength),
];

/** Returns a template in DER. */
export async function templateFor(csr: string, given: Template = {}): Promise<Uint8Array> {
  const by = given.by ?? (await keyOf("P-256"));
  const { names = { dns: ["a.example"] }, subject = "a.example" } = given;
  return certify(by, {
    serial: given.serial ?? freshSerial(),
    algorithm: given.algorithm ?? algorithmIdentifier(by.scheme),
    issuer: encodeName(commonName("somebody")),
    notBefore: start / 1000 + (given.from ?? -60),
    notAfter: start / 1000 + (given.until ?? 86_400),
    subject:
      subject instanceof Uint8Array
        ? subject
        : encodeName(typeof subject === "string" ? commonName(subject) : subject),
    spki: given.spki ?? parseCsr(derOf(csr)).spki,
    extensions: defined(given.extensions ?? leafExtensions(names)),
  });
}

type Members = Readonly<Record<string, unknown>>;
/** A mount whose external policy is a function of the test. */
export interface Deciding {
  readonly a: Authority;
  /** The function, for another authority over the same stores. */
  externalPolicy(asked: Asked): Promise<Members>;
  /** The requests, in order. */
  readonly asked: Asked[];
  /** Returns the response; tests replace it. */
  answer(asked: Asked): Members | Promise<Members>;
  /** Returns a response with a template. */
  yes(asked: Asked, template?: Template, more?: Members): Promise<Members>;
  /** Calls an endpoint below `external-policy/`. */
  post(path: string, body?: Members, compat?: boolean): ReturnType<Authority["call"]>;
  /** Signs a CSR for a P-256 key through the policy. */
  sign(body?: Members): ReturnType<Authority["call"]>;
  /** Returns all rows of the mount that contain certificates. */
  certificates(): Promise<readonly string[]>;
}
/** Returns a CSR without names, PEM. */
export const plainCsr = (kind: Parameters<typeof keyOf>[0] = "P-256") =>
  keyOf(kind).then((key) => request({ key, cn: "asked" }));

/** Creates the same as `deciding`, but without a root and with the policy disabled. */
export function undecided(
  make: (options: AuthorityOptions) => Authority = authority,
  options: AuthorityOptions = {},
): Deciding {
  const asked: Asked[] = [];
  const externalPolicy: Deciding["externalPolicy"] = async (question) => {
    asked.push(question);
    return it.answer(question);
  };
  const a = make({ ...options, externalPolicy });
  const post: Deciding["post"] = (path, body = {}, compat = false) =>
    a.call("POST", `pki/${path}`, body, { compat });
  const it: Deciding = {
    a,
    externalPolicy,
    asked,
    answer: (question) => it.yes(question),
    yes: async ({ request_uuid, user_request_key_values: { csr } }, template, more = {}) => ({
      request_uuid,
      certificate: encodePem("CERTIFICATE", await templateFor(csr, template)),
      issuer_ref: "default",
      store_certificate: true,
      ...more,
    }),
    post,
    sign: async (body = {}) => post("external-policy/sign", { csr: await plainCsr(), ...body }),
    certificates: async () => {
      const { data } = await a.call("LIST", "pki/certs");
      return (data["keys"] ?? []) as readonly string[];
    },
  };
  return it;
}
/** Creates a mount with a root and a policy that approves everything. */
export async function deciding(options: AuthorityOptions = {}): Promise<Deciding> {
  const it = undecided(authority, options);
  await it.a.root();
  await enable(it);
  return it;
}
/** Enables the policy. */
export async function enable({ a }: Pick<Deciding, "a">): Promise<void> {
  const { status, text } = await a.call("POST", "pki/config/external-policy", { enabled: true });
  if (status >= 300) throw new Error(text);
}
