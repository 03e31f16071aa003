import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { parseHost } from "../settings/tls-settings.ts";
import type { TlsPair } from "../http/tls-layer.ts";
import { readIfThere, writePrivate } from "./data-dir.ts";
import { faultOf } from "./tls-files.ts";

/** A certificate that the server has issued to itself, with its root. */
export interface IssuedTls extends TlsPair {
  /** PEM of the root, or of the topmost issuer in the mount if the root is not there. */
  readonly root: string;
}
/** A certificate that the server has issued to itself, with its parsed fields. */
export interface OwnTls extends TlsPair {
  /** Host names and IP addresses in the certificate. */
  readonly names: readonly string[];
  /** Validity period, in Unix ms. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/**
 * Returns the path of the file with the certificate and its key. It is a single file, so that the
 * two always match.
 */
const pathIn = (dataDir: string): string => join(dataDir, "tls.pem");
/** Returns the path of the file with the root certificate that clients should trust. */
export const rootPathIn = (dataDir: string): string => join(dataDir, "tls-root.pem");

const firstLineOf = (role: string): string => `Issued by ${role}; the server renews it.\n`;

/**
 * Reads the stored certificate if it was issued with this role. Returns undefined if there is none
 * that OpenSSL accepts.
 */
export function readOwnTls(dataDir: string, role: string): OwnTls | undefined {
  const text = readIfThere(pathIn(dataDir)) ?? "";
  if (!text.startsWith(firstLineOf(role))) return undefined;
  const [, key = "", cert = ""] =
    /\n(-----BEGIN [A-Z ]*PRIVATE KEY-----\n[^]*?-----END [A-Z ]*PRIVATE KEY-----\n)([^]*)$/.exec(
      text,
    ) ?? [];
  return parseOwnTls({ key, cert });
}

/** Parses a certificate and its key. Returns undefined if OpenSSL rejects them. */
export function parseOwnTls({ key, cert }: TlsPair): OwnTls | undefined {
  if (faultOf({ key, cert }) !== undefined) return undefined;
  const { subjectAltName = "", validFromDate, validToDate } = new X509Certificate(cert);
  return {
    key,
    cert,
    names: subjectAltName
      .split(", ")
      .flatMap((name) => parseHost(name.replace(/^(?:DNS|IP Address):/, "")) ?? []),
    notBefore: validFromDate.getTime(),
    notAfter: validToDate.getTime(),
  };
}

/** Stores a certificate with its key and root. Throws {@link LaunchError} if writing fails. */
export function writeOwnTls(dataDir: string, role: string, { key, cert, root }: IssuedTls): void {
  writePrivate(rootPathIn(dataDir), root);
  writePrivate(pathIn(dataDir), `${firstLineOf(role)}${key}${cert}`);
}
