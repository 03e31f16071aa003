import { readCertificate } from "./decode.ts";
import * as pki from "./pki.ts";
import { bareHex, colons } from "./words.ts";

/**
 * Titles of the certificates that the mount holds, by serial number in hexadecimal; none where it
 * does not tell.
 */
export async function titlesOf(serials: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (serials.length === 0) return new Map();
  const held = await pki.certificates(serials.map(colons)).catch(() => ({}));
  const read = Object.entries(held).map(async ([serial, pem]) => {
    const view = pem === null ? undefined : await readCertificate(pem).catch(() => undefined);
    return view ? ([[bareHex(serial), view.title]] as const) : [];
  });
  return new Map((await Promise.all(read)).flat());
}
