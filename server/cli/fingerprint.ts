import { X509Certificate } from "node:crypto";

/** Returns the SHA-256 fingerprint of a PEM certificate: hexadecimal octets separated by colons. */
export const fingerprintOf = (pem: string): string => new X509Certificate(pem).fingerprint256;
