import { lowerAscii } from "../../base/names.ts";
import { asBytes, toHex, utf8 } from "../../base/bytes.ts";
import { rowPrefixes, type RevokedRow, storedPki } from "../rows/records.ts";
import type { Mount } from "../../engine/mount.ts";
import { certificateKey, certificateValidity, parseCertificate } from "../../x509/certificate.ts";
import { readableNames } from "../request/template.ts";
import type { Candidate } from "./cert-detail.ts";
import type { Query } from "./search-index.ts";

/** The state of a certificate. */
type CertificateState = "valid" | "expired" | "revoked";

/** A matching certificate with its state and revocation. */
export interface MatchingCertificate extends Candidate {
  readonly state: CertificateState;
  readonly revoked?: RevokedRow;
}

/**
 * Returns the rows that match a search, in order. Applies the cheap criteria first, so that few
 * certificates need to be parsed.
 */
export async function filterCertificates(
  mount: Mount,
  query: Query,
  rows: readonly Candidate[],
): Promise<readonly MatchingCertificate[]> {
  const now = Math.floor(mount.ports.now() / 1000);
  const { from = -Infinity, to = Infinity } = query;
  const { beginsFrom = -Infinity, beginsTo = Infinity } = query;
  const mayHold = nameFilter(query.san);
  const named = rows
    .filter(
      ({ row }) =>
        (query.issuer === "" || row.issuer === query.issuer) &&
        (query.role === "" || row.role === query.role) &&
        (query.account === "" || row.acme?.account === query.account) &&
        (query.source === "" || (query.source === "acme") === (row.acme !== undefined)) &&
        mayHold(row.der),
    )
    .map((candidate) => ({ ...candidate, ...certificateValidity(candidate.row.der) }))
    .filter(
      ({ notBefore, notAfter, row }) =>
        notAfter >= from &&
        notAfter <= to &&
        notBefore >= beginsFrom &&
        notBefore <= beginsTo &&
        expiresAt(query.state, notAfter < now) &&
        hasName(row.der, query.san),
    );
  const left = query.print === "" ? named : await printed(named, query.print);
  const revoked =
    left.length > 0
      ? await mount.store.get(
          left.map(({ key }) => rowPrefixes.revoked + key.slice(rowPrefixes.certs.length)),
        )
      : [];
  return left
    .map(({ key, row, notAfter }, i): MatchingCertificate => {
      const revocation = revoked[i];
      return revocation
        ? { key, row, state: "revoked", revoked: storedPki.revoked(revocation.value) }
        : { key, row, state: notAfter < now ? "expired" : "valid" };
    })
    .filter(({ state }) => query.state === "" || state === query.state);
}

/** Returns a SHA-256 hash in the form that searches compare: hexadecimal without colons. */
export const sha256 = async (bytes: Uint8Array): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", asBytes(bytes))));

/** Returns the rows whose certificate or public key has the given fingerprint. */
async function printed<T extends Candidate>(rows: readonly T[], print: string): Promise<T[]> {
  const matches = await Promise.all(
    rows.map(
      async ({ row: { der } }) =>
        (await sha256(der)) === print || (await sha256(certificateKey(der))) === print,
    ),
  );
  return rows.filter((_, i) => matches[i]);
}
/** Reports whether a certificate may have a state, given whether it has expired (`past`). */
const expiresAt = (state: string, past: boolean): boolean =>
  state === "expired" ? past : state === "valid" ? !past : true;

function hasName(der: Uint8Array, san: string): boolean {
  if (san === "") return true;
  const names = readableNames(parseCertificate(der));
  const other = [...names.other, ...(names.device ?? [])].map(({ value }) => value);
  return [...names.common, ...names.dns, ...names.email, ...names.ip, ...names.uri, ...other].some(
    (name) => lowerAscii(name).includes(san),
  );
}

// decodes each byte as one character
const reader = new TextDecoder("latin1");
const textOf = (bytes: Uint8Array): string => reader.decode(bytes).toLowerCase();
/** Tag and length octets of IPv4 and IPv6 addresses in alternative names. */
const addresses = [textOf(Uint8Array.of(0x87, 4)), textOf(Uint8Array.of(0x87, 16))];
/**
 * First octets of common names in string types that are neither ASCII nor UTF-8: TeletexString,
 * UniversalString and BMPString.
 */
const oldNames = [0x14, 0x1c, 0x1e].map((tag) => textOf(Uint8Array.of(0x55, 4, 3, tag)));

/**
 * Returns a fast filter for certificates (DER) that may have a name containing a given string,
 * ignoring ASCII case. The filter does not parse the certificates, so only the result false is
 * certain. Names appear in DER as their bytes, except IP addresses and common names in old string
 * types.
 */
export function nameFilter(text: string): (der: Uint8Array) => boolean {
  if (text === "") return () => true;
  const needle = textOf(utf8(text));
  const inAddress = /^[0-9a-f:.]+$/i.test(text);
  return (der) => {
    const bytes = textOf(der);
    return (
      bytes.includes(needle) ||
      (inAddress && addresses.some((mark) => bytes.includes(mark))) ||
      oldNames.some((mark) => bytes.includes(mark))
    );
  };
}
