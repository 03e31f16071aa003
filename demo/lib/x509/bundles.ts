import { readCertsOnly } from "../../../src/archive/pkcs7.ts";
import { decodePem, encodePem } from "../../../src/base/pem.ts";
import { readCertificate, type CertificateView } from "./decode.ts";

/** The certificates of a message of PKCS#7 that carries nothing else. */
export const certificatesOf = (der: Uint8Array): Promise<readonly CertificateView[]> =>
  Promise.all(readCertsOnly(der).map((one) => readCertificate(new Uint8Array(one.der))));

const block = /-----BEGIN (PKCS7|CMS)-----[^-]+-----END \1-----/g;

/** The same PEM with certificates in the place of the messages that carry them. */
export const unbundled = (text: string): string =>
  text.replace(block, (pem) =>
    decodePem(pem)
      .flatMap(({ der }) => readCertsOnly(der))
      .map(({ der }) => encodePem("CERTIFICATE", der))
      .join("\n"),
  );
