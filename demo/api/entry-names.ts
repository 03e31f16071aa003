import { readCertificate, type CertificateView } from "../lib/x509/decode.ts";
import { certificates } from "./certificates.ts";
import { bareHex, colons } from "../lib/hex-text.ts";

/**
 * Returns the titles of certificates by hexadecimal serial number. Omits certificates that are not
 * stored or that `isWanted` rejects.
 */
async function titles(
  pems: Readonly<Record<string, string | null>>,
  isWanted: (view: CertificateView) => boolean = () => true,
): Promise<ReadonlyMap<string, string>> {
  const read = Object.entries(pems).map(async ([serial, pem]) => {
    const view = pem === null ? undefined : await readCertificate(pem).catch(() => undefined);
    return view && isWanted(view) ? ([[bareHex(serial), view.title]] as const) : [];
  });
  return new Map((await Promise.all(read)).flat());
}

/**
 * Returns the titles of the mount's certificates by hexadecimal serial number. Returns none if the
 * token may not read them.
 */
export const titlesOf = async (serials: readonly string[]): Promise<ReadonlyMap<string, string>> =>
  serials.length === 0
    ? new Map()
    : titles(await certificates(serials.map(colons)).catch(() => ({})));

/**
 * Returns the titles of those certificates whose issuer name is `issuer`. Other issuers may use the
 * same serial numbers. Throws if the token may not read the certificates.
 */
export const titlesFrom = async (
  issuer: string,
  serials: readonly string[],
): Promise<ReadonlyMap<string, string>> =>
  titles(await certificates(serials.map(colons)), (view) => view.issuer === issuer);
