import { domainToASCII } from "node:url";
import { resolve } from "node:path";
import { canonicalAddress } from "../../src/net/ranges.ts";
import { SettingError } from "./launch-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Paths of the PEM files with a certificate chain and its key. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}
/** The PKI role with which the server issues its own certificate. */
export interface TlsRole {
  readonly mount: string;
  readonly role: string;
  /** Whether the server creates a missing mount, root or role on startup. */
  readonly creates: boolean;
  /** Host names and IP addresses in the certificate. If undefined, {@link servedNames} are used. */
  readonly names: readonly string[] | undefined;
}
/** The source of the server's certificate. */
export type TlsSettings = { readonly files: TlsFiles } | { readonly from: TlsRole };

/** The role that `TLS=own` selects. */
const own = { mount: "sealwright-tls", role: "server" };

/**
 * Parses the TLS settings. Returns undefined for plain HTTP. Throws {@link SettingError} for
 * malformed or contradictory values.
 */
export function readTls(env: Environment): TlsSettings | undefined {
  const [tls, cert, key] = [env["TLS"] ?? "", env["TLS_CERT"] ?? "", env["TLS_KEY"] ?? ""];
  if (!tls && env["TLS_NAMES"])
    throw new SettingError("TLS_NAMES requires TLS=own or TLS=<mount>/issue/<role>.", "TLS_NAMES");
  if (!tls) return readFiles(cert, key);
  if (cert || key)
    throw new SettingError(
      "Set either TLS, or TLS_CERT and TLS_KEY, not both.",
      "TLS",
      "TLS_CERT",
      "TLS_KEY",
    );
  const names = readNames(env["TLS_NAMES"]);
  if (tls === "own") return { from: { ...own, creates: true, names } };
  const [, mount, role] = /^((?:[^/\s]+\/)*[^/\s]+)\/issue\/([^/\s]+)$/.exec(tls) ?? [];
  if (mount !== undefined && role !== undefined)
    return { from: { mount, role, creates: false, names } };
  throw new SettingError(
    `TLS must be own, or a role such as pki/issue/server, not ${JSON.stringify(tls.slice(0, 100))}.`,
    "TLS",
  );
}

function readFiles(cert: string, key: string): TlsSettings | undefined {
  if (!cert && !key) return undefined;
  if (cert && key) return { files: { cert: resolve(cert), key: resolve(key) } };
  throw new SettingError(
    "TLS_CERT and TLS_KEY must be set together or not at all.",
    "TLS_CERT",
    "TLS_KEY",
  );
}

function readNames(text = ""): readonly string[] | undefined {
  const words = text.split(",").map((word) => word.trim());
  const names = words.filter((word) => word !== "").map(parseHost);
  if (names.length === 0) return undefined;
  if (names.every((name) => name !== undefined)) return [...new Set(names)];
  throw new SettingError(
    `TLS_NAMES must be comma-separated host names or IP addresses, not ${JSON.stringify(text.slice(0, 100))}.`,
    "TLS_NAMES",
  );
}

/**
 * Parses a host name or an IP address. Returns its canonical form, or undefined if it is neither.
 */
export function parseHost(text: string): string | undefined {
  const address = canonicalAddress(text.replace(/^\[(.*)\]$/, "$1"));
  if (address !== undefined) return address;
  const name = domainToASCII(text).toLowerCase();
  const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
  // the last label must begin with a letter, so 192.0.2 is not a name
  const isName = new RegExp(`^(?:${label}\\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$`).test(name);
  return isName ? name : undefined;
}

/**
 * Returns the default names in the server's certificate: the host of PUBLIC_URL, the address on
 * which the server listens, and the loopback names and addresses if it listens on those.
 */
export function servedNames(host: string, publicUrl: string | undefined): readonly string[] {
  const isAll = host === "0.0.0.0" || host === "::";
  const isLocal = isAll || host === "localhost" || /^(?:127\.|::1$)/.test(host);
  const loopback = ["localhost", "127.0.0.1", ...(host.includes(":") ? ["::1"] : [])];
  const names = [
    ...(publicUrl ? [new URL(publicUrl).hostname] : []),
    ...(isAll ? [] : [host]),
    ...(isLocal ? loopback : []),
  ];
  return [...new Set(names.flatMap((name) => parseHost(name) ?? []))];
}
