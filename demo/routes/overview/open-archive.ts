import { readPkcs12 } from "../../../src/archive/pkcs12-read.ts";
import { encodePem } from "../../../src/base/pem.ts";
import { readCertificate } from "../../lib/x509/decode.ts";
import { asError } from "../../lib/store.ts";

/** An archive that requires a password. */
export interface LockedArchive {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Opens a PKCS#12 archive in the browser. Returns its contents in PEM: certificates, then keys.
 * Throws an error that states the reason if it cannot be opened.
 */
export async function openArchive({ bytes }: LockedArchive, password: string): Promise<string> {
  const { keys, certificates } = await readPkcs12(bytes, password);
  const views = await Promise.all(certificates.map((der) => readCertificate(new Uint8Array(der))));
  return [
    ...views.map(({ der }) => encodePem("CERTIFICATE", der)),
    ...keys.map((der) => encodePem("PRIVATE KEY", der)),
  ].join("\n");
}

/** Opens an archive without a password. Returns undefined if it requires one. */
export async function openUnlocked(archive: LockedArchive): Promise<string | undefined> {
  try {
    return await openArchive(archive, "");
  } catch (error) {
    if (asError(error).message.includes("the password is wrong")) return undefined;
    throw error;
  }
}
