import { readCertsOnly } from "../../../src/archive/pkcs7.ts";
import { decodePem, encodePem } from "../../../src/base/pem.ts";
import { readCertificate, type CertificateView } from "./decode.ts";

/** Returns the certificates of a PKCS#7 message that contains only certificates. */
export const certificatesOf = (der: Uint8Array): Promise<readonly CertificateView[]> =>
  Promise.all(readCertsOnly(der).map((one) => readCertificate(new Uint8Array(one.der))));

const block = /-----BEGIN (PKCS7|CMS)-----[^-]+-----END \1-----/g;

/** Replaces PKCS#7 messages in a PEM text with the certificates that they contain. */
export const unbundled = (text: string): string =>
  text.replace(block, (pem) =>
    decodePem(pem)
      .flatMap(({ der }) => readCertsOnly(der))
      .map(({ der }) => encodePem("CERTIFICATE", der))
      .join("\n"),
  );
