import { nameserverOf } from "../../src/net/dns.ts";
import { rangesIn } from "../../src/net/ranges.ts";

/** Tells of a value what it should have been, or nothing when it is right. */
type Rule = (value: string) => string | undefined;

const rule =
  (expected: string, fits: (value: string) => boolean): Rule =>
  (value) =>
    fits(value) ? undefined : expected;

const port = rule(
  "a port up to 65535",
  (value) => /^[1-9][0-9]{0,4}$/.test(value) && Number(value) < 65_536,
);
const flag = rule("true or false", (value) => value === "true" || value === "false");
// header values lose spaces at their ends, and other characters have several encodings there
const token = rule("at least 16 printable ASCII characters, no space at either end", (value) =>
  /^[\x21-\x7e][\x20-\x7e]{14,}[\x21-\x7e]$/.test(value),
);
const sealingKey = rule("the base64 of 32 bytes", (value) =>
  /^[A-Za-z0-9+/]{43}=$/.test(value.trim()),
);

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isWebAddress(text: string): boolean {
  const url = parsed(text);
  return (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.search === "" &&
    url.hash === "" &&
    url.username === ""
  );
}

/** The driver takes `postgres://%2Fpath/database` for a Unix socket. */
const isDatabaseUrl = (text: string): boolean =>
  /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text);

const rules: Readonly<Record<string, Rule>> = {
  DATABASE_URL: rule("a URL such as postgres://user:password@host:5432/database", isDatabaseUrl),
  DATABASE_CONNECTIONS: rule("a whole number of connections", (value) =>
    /^[1-9][0-9]{0,3}$/.test(value),
  ),
  SERVICE_ROOT_TOKEN: token,
  VARS_TOKEN: token,
  METRICS_TOKEN: token,
  SEALING_KEY: sealingKey,
  SEALING_KEY_PREVIOUS: sealingKey,
  PUBLIC_URL: rule("an http or https address", isWebAddress),
  ALLOWED_ORIGINS: rule("origins like https://console.example, separated by commas", (value) =>
    value
      .split(",")
      .map((origin) => origin.trim())
      .every((origin) => origin === "" || parsed(origin)?.origin === origin),
  ),
  TRUSTED_PROXIES: rule(
    "addresses or ranges like 192.0.2.0/28, separated by commas, and not all there are",
    (value) => rangesIn(value) !== undefined,
  ),
  DISABLE_PKI_CONSTRAINTS_VERIFICATION: flag,
  LOG: rule("text or json, or not set", (value) => value === "text" || value === "json"),
  LOG_LEVEL: rule("error, warn or info", (value) => /^(?:error|warn|info)$/.test(value)),
  AUDIT: flag,
  VARS_STRICT: flag,
  VARS_RATE_LIMIT: rule("a whole number of requests a second, 0 for any", (value) =>
    /^[0-9]{1,9}$/.test(value),
  ),
  VARS_CATEGORY_SPELLING: rule("echo, iac or terraform", (value) =>
    /^(?:echo|iac|terraform)$/.test(value),
  ),
  ACME_PRIVATE_NETWORKS: flag,
  ACME_HTTP_PORT: port,
  ACME_TLS_PORT: port,
  ACME_ACCOUNT_LIMIT: rule("a whole number of accounts an hour, 0 for any, or public", (value) =>
    /^(?:[0-9]{1,9}|public)$/.test(value),
  ),
  ACME_CONNECTIONS: rule(
    "a whole number of connections, 2 at least",
    (value) => /^[1-9][0-9]{0,3}$/.test(value) && value !== "1",
  ),
  DNS_RESOLVER_URL: rule("an http or https address", isWebAddress),
  DNS_NAMESERVER: rule(
    "an address, with a port where it is not 53",
    (value) => nameserverOf(value) !== undefined,
  ),
};

/** Secrets are not shown in a message. */
const shown = (name: string, value: string): string =>
  /KEY|TOKEN|DATABASE_URL/.test(name) ? "" : `, not ${JSON.stringify(value.slice(0, 100))}`;

/**
 * Looks through settings for the Worker and tells, in one sentence, of the first that is not what
 * it should be. Empty ones count as not set.
 */
export function mistakeIn(variables: Readonly<Record<string, string>>): string | undefined {
  for (const [name, value] of Object.entries(variables)) {
    const expected = value === "" ? undefined : rules[name]?.(value);
    if (expected !== undefined) return `${name} must be ${expected}${shown(name, value)}.`;
  }
  return undefined;
}
