import { readCertificate, type CertificateView } from "../lib/x509/decode.ts";
import * as pki from "./pki.ts";
import { bareHex, colons } from "../lib/format.ts";

/** Titles, by serial number in hexadecimal, of those that are held and that fit. */
async function titles(
  held: Readonly<Record<string, string | null>>,
  fits: (view: CertificateView) => boolean = () => true,
): Promise<ReadonlyMap<string, string>> {
  const read = Object.entries(held).map(async ([serial, pem]) => {
    const view = pem === null ? undefined : await readCertificate(pem).catch(() => undefined);
    return view && fits(view) ? ([[bareHex(serial), view.title]] as const) : [];
  });
  return new Map((await Promise.all(read)).flat());
}

/**
 * Titles of the certificates that the mount holds, by serial number in hexadecimal; none where it
 * does not tell.
 */
export const titlesOf = async (serials: readonly string[]): Promise<ReadonlyMap<string, string>> =>
  serials.length === 0
    ? new Map()
    : titles(await pki.certificates(serials.map(colons)).catch(() => ({})));

/**
 * The same of certificates of one issuer only, by its name: another one may use the same serial
 * number. Throws where the mount does not tell.
 */
export const titlesFrom = async (
  issuer: string,
  serials: readonly string[],
): Promise<ReadonlyMap<string, string>> =>
  titles(await pki.certificates(serials.map(colons)), (view) => view.issuer === issuer);
