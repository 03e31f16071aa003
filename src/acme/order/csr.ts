import { fromBase64Url } from "../../base/bytes.ts";
import { CaError, recode } from "../../base/errors.ts";
import { lowerAscii, truncateForMessage } from "../../base/names.ts";
import {
  checkRequestSignature,
  requestOf,
  type SigningRequest,
} from "../../pki/request/request.ts";
import { refuseCa } from "../../pki/request/taken-over.ts";
import { ipToBytes, ipToText } from "../../x509/address.ts";
import { parseCsr } from "../../x509/csr.ts";
import { isSameKey, type PublicKey } from "../../x509/public-key.ts";
import type { AcmeIdentifier } from "../rows/records.ts";

const bad = (why: string): CaError => new CaError("bad_csr", why);

/** The names of a CSR or of an order, each once: DNS names in lower case, addresses as RFC 5952. */
export interface NameSet {
  readonly dns: ReadonlySet<string>;
  readonly ip: ReadonlySet<string>;
}

/** DER that was sent as base64url; padding is tolerated. Throws `malformed` with `told`. */
export function derOf(sent: string | undefined, told: string): Uint8Array {
  const der = sent === undefined ? undefined : fromBase64Url(sent.replace(/={1,2}$/, ""));
  if (!der?.length) throw new CaError("malformed", told);
  return der;
}
/**
 * Reads the CSR of a finalization: base64url of DER, padding is tolerated. Throws `malformed` for
 * what cannot be read or is not signed by its key, `bad_csr` for a key that is of no known kind.
 */
export async function readCsr(sent: string | undefined): Promise<SigningRequest> {
  const der = derOf(sent, "send the certificate signing request as csr: base64url of its DER");
  const csr = recode("malformed", () => parseCsr(der), "the CSR could not be read: ");
  const request = recode("bad_csr", () => requestOf(csr));
  await checkRequestSignature(request, "malformed");
  return request;
}

/** The names of an order. */
export const namesOf = (identifiers: readonly AcmeIdentifier[]): NameSet => ({
  dns: new Set(identifiers.filter(({ type }) => type === "dns").map(({ value }) => value)),
  ip: new Set(identifiers.filter(({ type }) => type === "ip").map(({ value }) => value)),
});
/** The address that a text is, as RFC 5952 writes it. */
export function addressOf(text: string): string | undefined {
  const bytes = ipToBytes(text);
  return bytes && ipToText(bytes);
}
/** The names of a CSR, its common name counted in. */
function askedNames({ names, commonName }: SigningRequest): NameSet {
  const address = addressOf(commonName);
  const host = address === undefined && commonName !== "" ? [commonName] : [];
  return {
    dns: new Set([...names.dns, ...host].map(lowerAscii)),
    ip: new Set([
      ...names.ip.map((text) => addressOf(text) ?? text),
      ...(address === undefined ? [] : [address]),
    ]),
  };
}
/** Whether two sets have the same names. */
export const areSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((name) => other.has(name));

/** What a CSR is held against. */
export interface CsrRules {
  readonly identifiers: readonly AcmeIdentifier[];
  /** Keys that no certificate is issued for here: that of the account, that of the issuer. */
  readonly accountKey: PublicKey;
  /** Absent where it is not known yet who signs. */
  readonly issuerKey: PublicKey | undefined;
}
/** Everything that a CSR must keep whatever the role says (B 5.9). Throws `bad_csr`. */
export function checkCsr(request: SigningRequest, against: CsrRules): void {
  recode("bad_csr", () => refuseCa(request));
  checkNames(request, namesOf(against.identifiers));
  if (isSameKey(request.publicKey, against.accountKey))
    throw bad("the key of the CSR is the key of the account: use another one");
  if (against.issuerKey && isSameKey(request.publicKey, against.issuerKey))
    throw bad("the key of the CSR is the key of the issuer: use another one");
}

function checkNames(request: SigningRequest, ordered: NameSet): void {
  // a name that was not proven is not dropped in silence (D 3)
  const { names, unreadable } = request;
  const stray = [...names.email, ...names.uri, ...names.other.map(({ oid }) => oid), ...unreadable];
  if (stray[0] !== undefined || names.directory?.length)
    throw bad(
      `the CSR asks for a name that the order does not have: ${truncateForMessage(stray[0] ?? "directoryName")}`,
    );
  const asked = askedNames(request);
  for (const [kind, what] of [
    ["dns", "DNS names"],
    ["ip", "IP addresses"],
  ] as const)
    if (!areSame(asked[kind], ordered[kind]))
      throw bad(
        `the ${what} of the CSR (${asked[kind].size}) are not those of the order (${ordered[kind].size})`,
      );
}
