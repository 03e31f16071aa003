import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { StoredSecret } from "../data/data-dir.ts";
import type { Tokens } from "../data/secrets.ts";

/**
 * What the variables API makes at its first use (src/vars/installation.ts); later either may have
 * another name, or be gone.
 */
const [firstUser, firstOrganization] = ["admin", "default"];

/** A path as a word of a shell. */
const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;

/** Where and how a greeting is shown. */
export interface GreetingOptions {
  readonly terminal: boolean;
  /** The file of the certificate that clients trust; undefined where there is none. */
  readonly certFile: string | undefined;
  /** Whether the server has created this certificate. */
  readonly ownRoot: boolean;
  /** The port that requests client certificates, if there is one. */
  readonly certificatePort: number | undefined;
}

/** Explains how clients come to trust the root of the server's certificate. */
const trustLines = (path: string): readonly string[] => [
  "",
  `Trust the root of its certificate, ${path}:`,
  `  SHA-256 fingerprint ${new X509Certificate(readFileSync(path)).fingerprint256}`,
  `  Debian      sudo install -m 0644 ${quoted(path)} /usr/local/share/ca-certificates/sealwright.crt && sudo update-ca-certificates`,
  `  Fedora      sudo trust anchor ${quoted(path)}`,
  "  browsers    import it as an authority for web sites",
];

/**
 * Returns the text that is printed when everything serves: the addresses, the tokens, and the first
 * three calls. New tokens are in it only when a terminal shows it: files and journals outlive the
 * moment, and others read them. The calls trust the certificate of `TLS_CERT` itself, whose CA the
 * system may not know, or the root of the server's own.
 */
export function greeting(
  address: string,
  { root: token, vars, first }: Tokens & { readonly first: boolean },
  { terminal, certFile, ownRoot, certificatePort }: GreetingOptions,
): string {
  const where = (variable: string, stored: StoredSecret | undefined) =>
    stored === undefined
      ? `the one in ${variable}`
      : stored.fresh && terminal
        ? `${stored.value}   (shown this once; kept in ${stored.path})`
        : `in ${stored.path}`;
  const setToken =
    token === undefined
      ? "TOKEN=$SERVICE_ROOT_TOKEN"
      : token.fresh && terminal
        ? `TOKEN=${token.value}`
        : `TOKEN=$(cat ${quoted(token.path)})`;
  const trust = certFile === undefined ? "" : `--cacert ${quoted(certFile)} `;
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
    "Make a root, make a role, issue a certificate:",
    `  ${setToken}`,
    call("root/generate/internal", '{"common_name":"Example Root","key_type":"ec","ttl":"87600h"}'),
    call("roles/web", '{"allowed_domains":"example.com","allow_subdomains":true,"key_type":"ec"}'),
    call("issue/web", '{"common_name":"www.example.com"}'),
    "",
  ].join("\n");
}
