import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { LaunchError } from "../settings/launch-error.ts";
import type { TlsFiles } from "../settings/tls-settings.ts";
import type { TlsPair } from "../http/tls-layer.ts";

/**
 * Reads a certificate and its key. Throws {@link LaunchError} if a file is missing or incomplete,
 * if the two do not match, or if OpenSSL rejects them.
 */
export function readPair(files: TlsFiles): TlsPair {
  const pair = { cert: textOf(files.cert, "TLS_CERT"), key: textOf(files.key, "TLS_KEY") };
  if (differ(pair))
    throw new LaunchError(
      `TLS_KEY: ${files.key} is not the key of the certificate in ${files.cert}.`,
    );
  const fault = faultOf(pair);
  if (fault !== undefined) throw new LaunchError(`TLS cannot use TLS_CERT and TLS_KEY (${fault}).`);
  return pair;
}

function textOf(path: string, name: string): string {
  let text;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new LaunchError(`${name}: ${path} cannot be read.`);
  }
  // checked here, because OpenSSL ignores a truncated second certificate
  const [begins, ends] = ["BEGIN", "END"].map((word) => text.split(`-----${word} `).length);
  if (begins !== ends) throw new LaunchError(`${name}: ${path} ends within a PEM block.`);
  return text;
}

/**
 * Reports whether the key does not match the certificate. Node accepts a key of a different type,
 * but every handshake then fails. Node itself rejects unreadable files.
 */
function differ({ cert, key }: TlsPair): boolean {
  try {
    return !new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** Returns the reason why a certificate and its key are not accepted, or undefined if they are. */
export function faultOf(pair: TlsPair): string | undefined {
  // Node treats an empty string as no certificate
  if (!pair.cert.includes("-----BEGIN ")) return "no certificate";
  if (!pair.key.includes("-----BEGIN ")) return "no key";
  if (differ(pair)) return "the key does not match the certificate";
  try {
    createSecureContext(pair);
    return undefined;
  } catch (error) {
    const { code = "unreadable" } = error as NodeJS.ErrnoException;
    return code;
  }
}

/**
 * Returns a string that changes whenever one of the files is written or replaced. Follows links.
 */
export function fileStates({ cert, key }: TlsFiles): string {
  return [cert, key]
    .map((path) => {
      try {
        const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
        return [dev, ino, size, mtimeNs, ctimeNs].join(":");
      } catch {
        return "none";
      }
    })
    .join(" ");
}
