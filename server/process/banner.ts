import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { StoredSecret } from "../data/data-dir.ts";
import type { Tokens } from "../data/secrets.ts";
import { quote, quoteWord } from "../settings/shell.ts";

/**
 * Names of the user and the organization that the variables API creates on first use
 * (src/vars/installation.ts). Both can be renamed or deleted later.
 */
const [firstUser, firstOrganization] = ["admin", "default"];

/**
 * Returns the `--data-dir` flag for a data directory, with a leading space, or "" for the default
 * directory.
 */
export const dataDirFlag = (dataDir: string): string =>
  dataDir === resolve("data") ? "" : ` --data-dir ${quoteWord(dataDir)}`;

/** Options for the start banner. */
export interface BannerOptions {
  readonly terminal: boolean;
  /** PEM file with the certificate that clients must trust, if any. */
  readonly certFile: string | undefined;
  /** Whether the server created the certificate in `certFile`. */
  readonly ownRoot: boolean;
  /** The port that requests client certificates, if any. */
  readonly certificatePort: number | undefined;
  /** The user's command prefix, such as `npx sealwright`. */
  readonly invocation: string;
  /** The `--data-dir` flag for commands, as returned by the function `dataDirFlag`. */
  readonly dataDirFlag: string;
}

/**
 * Returns lines about the root that the server's certificate chains to: its path and fingerprint.
 */
const rootLines = (path: string): readonly string[] => [
  "",
  `The root of its certificate is ${path}:`,
  `  SHA-256 fingerprint ${new X509Certificate(readFileSync(path)).fingerprint256}`,
];

/** Returns lines with the commands to run first. */
function nextLines({ invocation, dataDirFlag: flag }: BannerOptions): readonly string[] {
  const steps = [
    ["init", "create a root, an intermediate and a role; existing objects are not changed"],
    ["trust install", "make this machine and its browsers trust the root"],
    ["issue localhost --out tls", "write tls/fullchain.pem and tls/privkey.pem"],
  ] as const;
  return [
    "",
    "Next, in another terminal in this directory:",
    ...steps.flatMap(([words, meaning]) => [`  ${invocation} ${words}${flag}`, `      ${meaning}`]),
  ];
}

/**
 * Returns lines with requests that create a root and issue a certificate. For a first start only,
 * because they would add another root to an existing CA.
 */
function curlLines(setToken: string, curl: string, address: string): readonly string[] {
  const call = (path: string, body: string): string =>
    `  ${curl}-H "X-Service-Token: $TOKEN" -d '${body}' ${address}/v1/pki/${path}`;
  return [
    "",
    "Or with curl:",
    `  ${setToken}`,
    call("root/generate/internal", '{"common_name":"Example Root","key_type":"ec","ttl":"87600h"}'),
    call("roles/web", '{"allowed_domains":"example.com","allow_subdomains":true,"key_type":"ec"}'),
    call("issue/web", '{"common_name":"www.example.com"}'),
  ];
}

/**
 * Returns the text that is printed when the server is ready: URLs, tokens and the first commands.
 * New tokens are shown only on a terminal, because others may read log files and journals. The curl
 * commands trust the certificate in `TLS_CERT` itself, because the system may not trust its CA, or
 * else the root that the server created.
 */
export function startBanner(
  address: string,
  { root: token, vars, first }: Tokens & { readonly first: boolean },
  options: BannerOptions,
): string {
  const { terminal, certFile, ownRoot, certificatePort } = options;
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
  return [
    `Sealwright serves ${address}`,
    `  console     ${address}/demo/`,
    ...(certificatePort === undefined
      ? []
      : [`  port        ${certificatePort} requests client certificates`]),
    `  root token  ${where("SERVICE_ROOT_TOKEN", token)}`,
    `  vars token  ${where("VARS_TOKEN", vars)}`,
    ...(first && (vars === undefined || vars.fresh || vars.isFromVariable)
      ? [`  vars user   ${firstUser}, in the organization ${firstOrganization}`]
      : []),
    ...(ownRoot && certFile !== undefined ? rootLines(certFile) : []),
    ...nextLines(options),
    ...(first ? curlLines(setToken, `curl ${trust}`, address) : []),
    "",
  ].join("\n");
}
