import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { StoredSecret } from "../data/data-dir.ts";
import type { Tokens } from "../data/secrets.ts";

/**
 * The user and organization that the variables API creates on first use (src/vars/installation.ts).
 * Both can be renamed or deleted later.
 */
const [firstUser, firstOrganization] = ["admin", "default"];

/** Quotes a path for a shell. */
const quote = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;

/** Options of the start banner. */
export interface BannerOptions {
  readonly terminal: boolean;
  /** File with the certificate that clients must trust, if any. */
  readonly certFile: string | undefined;
  /** Whether the server created this certificate. */
  readonly ownRoot: boolean;
  /** The port that requests client certificates, if any. */
  readonly certificatePort: number | undefined;
}

/** Explains how to trust the root of the server's certificate. */
const trustLines = (path: string): readonly string[] => [
  "",
  `Trust the root of its certificate, ${path}:`,
  `  SHA-256 fingerprint ${new X509Certificate(readFileSync(path)).fingerprint256}`,
  `  Debian      sudo install -m 0644 ${quote(path)} /usr/local/share/ca-certificates/sealwright.crt && sudo update-ca-certificates`,
  `  Fedora      sudo trust anchor ${quote(path)}`,
  "  browsers    import it as a certificate authority for websites",
];

/**
 * Returns the text printed when the server is ready: addresses, tokens, and the first three calls.
 * New tokens are printed to a terminal only, because log files and journals have other readers. The
 * calls trust the certificate of `TLS_CERT` itself, whose CA the system may not know, or the root
 * that the server created.
 */
export function startBanner(
  address: string,
  { root: token, vars, first }: Tokens & { readonly first: boolean },
  { terminal, certFile, ownRoot, certificatePort }: BannerOptions,
): string {
  const where = (variable: string, stored: StoredSecret | undefined) =>
    stored === undefined
      ? `set by ${variable}`
      : stored.fresh && terminal
        ? `${stored.value}   (not shown again; stored in ${stored.path})`
        : `in ${stored.path}`;
  const setToken =
    token === undefined
      ? "TOKEN=$SERVICE_ROOT_TOKEN"
      : token.fresh && terminal
        ? `TOKEN=${token.value}`
        : `TOKEN=$(cat ${quote(token.path)})`;
  const trust = certFile === undefined ? "" : `--cacert ${quote(certFile)} `;
  const call = (path: string, body: string) =>
    `  curl ${trust}-H "X-Service-Token: $TOKEN" -d '${body}' ${address}/v1/pki/${path}`;
  return [
    `Sealwright serves ${address}`,
    `  page        ${address}/demo/`,
    ...(certificatePort === undefined
      ? []
      : [`  port        ${certificatePort} requests client certificates`]),
    `  root token  ${where("SERVICE_ROOT_TOKEN", token)}`,
    `  vars token  ${where("VARS_TOKEN", vars)}`,
    ...(first && (vars === undefined || vars.fresh || vars.given)
      ? [`  vars user   ${firstUser}, in the organization ${firstOrganization}`]
      : []),
    ...(ownRoot && certFile !== undefined ? trustLines(certFile) : []),
    "",
    "Create a root CA, create a role, issue a certificate:",
    `  ${setToken}`,
    call("root/generate/internal", '{"common_name":"Example Root","key_type":"ec","ttl":"87600h"}'),
    call("roles/web", '{"allowed_domains":"example.com","allow_subdomains":true,"key_type":"ec"}'),
    call("issue/web", '{"common_name":"www.example.com"}'),
    "",
  ].join("\n");
}
