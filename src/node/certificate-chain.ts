import { X509Certificate } from "node:crypto";
import type { CertificateReply } from "../client/index.ts";

/** A certificate and its issuers, each as PEM with a newline at the end. */
export interface Chain {
  readonly certificate: string;
  /** The issuers except the root, in the order in which TLS servers send them. */
  readonly intermediates: readonly string[];
  /** The root certificate, or undefined if the server does not know it. */
  readonly root: string | undefined;
}

/** Returns a PEM string with exactly one newline at the end. */
const lineEnded = (text: string): string => `${text.trim()}\n`;

/**
 * Splits the chain of an issued certificate into the intermediates, which TLS servers send, and the
 * root, which clients have.
 */
export function chainOf({ certificate, issuing_ca, ca_chain = [] }: CertificateReply): Chain {
  const issuers = (ca_chain.length > 0 ? ca_chain : [issuing_ca]).map(lineEnded);
  return {
    certificate: lineEnded(certificate),
    intermediates: issuers.filter((one) => !isSelfSigned(one)),
    root: issuers.find(isSelfSigned),
  };
}

/** Reports whether a certificate is self-signed, like root certificates. */
export function isSelfSigned(pem: string): boolean {
  const certificate = new X509Certificate(pem);
  return certificate.checkIssued(certificate);
}

/** Returns the PEM certificates in a string, each ending with a newline. */
export const certificatesIn = (text: string): readonly string[] =>
  (text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(lineEnded);
