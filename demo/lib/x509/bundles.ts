import { readCertsOnly } from "../../../src/archive/pkcs7.ts";
import { decodePem, encodePem } from "../../../src/base/pem.ts";
import { readCertificate, type CertificateView } from "./decode.ts";

/** Returns the certificates in a certs-only PKCS#7 message. */
export const certificatesOf = (der: Uint8Array): Promise<readonly CertificateView[]> =>
  Promise.all(readCertsOnly(der).map((one) => readCertificate(new Uint8Array(one.der))));

const block = /-----BEGIN (PKCS7|CMS)-----[^-]+-----END \1-----/g;

/** Replaces PKCS#7 messages in PEM with the certificates that they contain. */
export const unbundled = (text: string): string =>
  text.replace(block, (pem) =>
    decodePem(pem)
      .flatMap(({ der }) => readCertsOnly(der))
      .map(({ der }) => encodePem("CERTIFICATE", der))
      .join("\n"),
  );
