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
import { deviceNamesOf } from "../../x509/certificate.ts";
import { parseCsr } from "../../x509/csr.ts";
import {
  deviceNameOid,
  isDeviceType,
  splitDeviceName,
  type DeviceName,
} from "../../x509/device-name.ts";
import { isSameKey, type PublicKey } from "../../x509/public-key.ts";
import type { AcmeIdentifier } from "../rows/records.ts";

const bad = (why: string): CaError => new CaError("bad_csr", why);

/** The distinct names of a CSR or an order: DNS names in lower case, addresses as in RFC 5952. */
interface NameSet {
  readonly dns: ReadonlySet<string>;
  readonly ip: ReadonlySet<string>;
}

/**
 * Decodes base64url-encoded DER, with or without padding. Throws `malformed` with `message` if
 * decoding fails.
 */
export function derOf(sent: string | undefined, message: string): Uint8Array {
  const der = sent === undefined ? undefined : fromBase64Url(sent.replace(/={1,2}$/, ""));
  if (!der?.length) throw new CaError("malformed", message);
  return der;
}
/**
 * Parses the CSR of a finalization: base64url-encoded DER, with or without padding. Throws
 * `malformed` if it cannot be parsed or is not signed with its own key, and `bad_csr` for an
 * unknown key type.
 */
export async function readCsr(sent: string | undefined): Promise<SigningRequest> {
  const der = derOf(sent, "csr must be the certificate signing request as base64url-encoded DER");
  const csr = recode("malformed", () => parseCsr(der), "the CSR cannot be parsed: ");
  const request = recode("bad_csr", () => requestOf(csr));
  await checkRequestSignature(request, "malformed");
  return request;
}

/** Returns the identifiers of one type. */
export function identifiersOfType(
  identifiers: readonly AcmeIdentifier[],
  type: AcmeIdentifier["type"],
): readonly string[] {
  const values: string[] = [];
  for (const identifier of identifiers) if (identifier.type === type) values.push(identifier.value);
  return values;
}
/** Returns the names of an order. */
export const namesOf = (identifiers: readonly AcmeIdentifier[]): NameSet => ({
  dns: new Set(identifiersOfType(identifiers, "dns")),
  ip: new Set(identifiersOfType(identifiers, "ip")),
});
/** Returns an IP address in the form of RFC 5952, or undefined for other strings. */
export function addressOf(text: string): string | undefined {
  const bytes = ipToBytes(text);
  return bytes && ipToText(bytes);
}
/**
 * Returns the names in a CSR. Includes the common name, unless it is the identifier of one of the
 * devices.
 */
function requestedNames(
  { names, commonName: common }: SigningRequest,
  devices: readonly DeviceName[],
): NameSet {
  const commonName = devices.some((name) => splitDeviceName(name)?.id === common) ? "" : common;
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
/** Returns the device names of an order. */
export const devicesOf = (identifiers: readonly AcmeIdentifier[]): readonly DeviceName[] =>
  identifiers.flatMap(({ type, value }) => (isDeviceType(type) ? [{ type, value }] : []));
/** Reports whether two sets are equal. */
export const areSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((name) => other.has(name));

/** The requirements for a CSR. */
interface CsrRules {
  readonly identifiers: readonly AcmeIdentifier[];
  /** The account's key, which must not be certified. */
  readonly accountKey: PublicKey;
  /** The issuer's key, which must not be certified; absent while the issuer is unknown. */
  readonly issuerKey: PublicKey | undefined;
}
/** Checks the rules that apply to every CSR, regardless of the role (B 5.9). Throws `bad_csr`. */
export function checkCsr(request: SigningRequest, against: CsrRules): void {
  recode("bad_csr", () => refuseCa(request));
  checkNames(request, against.identifiers);
  if (isSameKey(request.publicKey, against.accountKey))
    throw bad("the key of the CSR is the account's key: use a different key");
  if (against.issuerKey && isSameKey(request.publicKey, against.issuerKey))
    throw bad("the key of the CSR is the issuer's key: use a different key");
}

function checkNames(request: SigningRequest, identifiers: readonly AcmeIdentifier[]): void {
  const ordered = namesOf(identifiers);
  const devices = devicesOf(identifiers);
  checkDevices(request, devices);
  // names that are not validated cause an error rather than being dropped silently (D 3)
  const { names } = request;
  const unreadable = request.unreadable.filter((name) => !deviceKinds.has(name));
  const stray = [...names.email, ...names.uri, ...names.other.map(({ oid }) => oid), ...unreadable];
  if (stray[0] !== undefined || names.directory?.length)
    throw bad(
      `the CSR requests a name that is not in the order: ${truncateForMessage(stray[0] ?? "directoryName")}`,
    );
  const requested = requestedNames(request, devices);
  for (const [kind, what] of [
    ["dns", "DNS names"],
    ["ip", "IP addresses"],
  ] as const)
    if (!areSame(requested[kind], ordered[kind]))
      throw bad(
        `the ${what} of the CSR (${requested[kind].size}) differ from those of the order (${ordered[kind].size})`,
      );
}

/**
 * Device name types as `SigningRequest.unreadable` lists them; `checkDevices` checks these names.
 */
const deviceKinds: ReadonlySet<string> = new Set(
  Object.values(deviceNameOid).map((oid) => `otherName ${oid}`),
);
/**
 * Rejects a CSR with device names that are not in the order. The CSR may omit device names of the
 * order (draft-ietf-acme-device-attest-09 section 3.2).
 */
function checkDevices(request: SigningRequest, ordered: readonly DeviceName[]): void {
  const requested = recode("bad_csr", () => deviceNamesOf(request.csr));
  const kinds = request.unreadable.filter((name) => deviceKinds.has(name));
  const isOrdered = ({ type, value }: DeviceName) =>
    ordered.some((one) => one.type === type && one.value === value);
  const stray = requested.find((name) => !isOrdered(name))?.value;
  // a device name that no ACME identifier can express is missing from the parsed names, so the
  // counts differ
  if (stray === undefined && requested.length === kinds.length) return;
  throw bad(
    `the CSR requests a device name that is not in the order: ${truncateForMessage(stray ?? "a name in an unsupported form")}`,
  );
}
