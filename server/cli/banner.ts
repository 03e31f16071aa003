import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { StoredSecret } from "../data/data-dir.ts";
import type { Tokens } from "../data/secrets.ts";
import { quote, quoteWord } from "./shell.ts";

/**
 * The user and organization that the variables API creates on first use (src/vars/installation.ts).
 * Both can be renamed or deleted later.
 */
const [firstUser, firstOrganization] = ["admin", "default"];

/** Returns the flag that selects a data directory, with a space before it; "" for the default. */
export const dataDirFlag = (dataDir: string): string =>
  dataDir === resolve("data") ? "" : ` --data-dir ${quoteWord(dataDir)}`;

/** Options of the start banner. */
export interface BannerOptions {
  readonly terminal: boolean;
  /** File with the certificate that clients must trust, if any. */
  readonly certFile: string | undefined;
  /** Whether the server created this certificate. */
  readonly ownRoot: boolean;
  /** The port that requests client certificates, if any. */
  readonly certificatePort: number | undefined;
  /** The command prefix of the user, such as `npx sealwright`. */
  readonly invocation: string;
  /** The flag that selects the data directory; "" for `./data`. */
  readonly dataDirFlag: string;
}

/** Names the root of the server's certificate, which `trust install` makes this machine trust. */
const rootLines = (path: string): readonly string[] => [
  "",
  `The root of its certificate is ${path}:`,
  `  SHA-256 fingerprint ${new X509Certificate(readFileSync(path)).fingerprint256}`,
];

/** Returns the first commands to run. */
function nextLines({ invocation, dataDirFlag: flag }: BannerOptions): readonly string[] {
  const steps = [
    ["init", "create a root, an intermediate and a role; nothing that exists is changed"],
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
 * Returns the text printed when the server is ready: addresses, tokens, and the first commands.
 * New tokens are printed to a terminal only, because log files and journals have other readers. The
 * calls trust the certificate of `TLS_CERT` itself, whose CA the system may not know, or the root
 * that the server created.
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
    ...(first && (vars === undefined || vars.fresh || vars.isFromVariable)
      ? [`  vars user   ${firstUser}, in the organization ${firstOrganization}`]
      : []),
    ...(ownRoot && certFile !== undefined ? rootLines(certFile) : []),
    ...nextLines(options),
    "",
    "The same with curl:",
    `  ${setToken}`,
    call("root/generate/internal", '{"common_name":"Example Root","key_type":"ec","ttl":"87600h"}'),
    call("roles/web", '{"allowed_domains":"example.com","allow_subdomains":true,"key_type":"ec"}'),
    call("issue/web", '{"common_name":"www.example.com"}'),
    "",
  ].join("\n");
}
