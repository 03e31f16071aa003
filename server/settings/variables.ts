import { nameserverOf } from "../../src/net/dns.ts";
import { parseRanges } from "../../src/net/ranges.ts";
import { SettingError } from "./launch-error.ts";

/** A function that returns a description of the expected value if a value is invalid. */
type Rule = (value: string) => string | undefined;

const rule =
  (expected: string, isValid: (value: string) => boolean): Rule =>
  (value) =>
    isValid(value) ? undefined : expected;

const port = rule(
  "a port number from 1 to 65535",
  (value) => /^[1-9][0-9]{0,4}$/.test(value) && Number(value) < 65_536,
);
const flag = rule("true or false", (value) => value === "true" || value === "false");
// a header value cannot begin or end with a space, and non-ASCII characters have no unique encoding
const token = rule(
  "at least 16 printable ASCII characters, without leading or trailing spaces",
  (value) => /^[\x21-\x7e][\x20-\x7e]{14,}[\x21-\x7e]$/.test(value),
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

/**
 * Reports whether a string is a PostgreSQL URL. Also accepts `postgres://%2Fpath/database`, in
 * which the driver finds the path of a Unix socket.
 */
const isDatabaseUrl = (text: string): boolean =>
  /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text);

const rules: Readonly<Record<string, Rule>> = {
  DATABASE_URL: rule("a URL such as postgres://user:password@host:5432/database", isDatabaseUrl),
  DATABASE_CONNECTIONS: rule("a number of connections from 1 to 9999", (value) =>
    /^[1-9][0-9]{0,3}$/.test(value),
  ),
  SERVICE_ROOT_TOKEN: token,
  VARS_TOKEN: token,
  METRICS_TOKEN: token,
  SEALING_KEY: sealingKey,
  SEALING_KEY_PREVIOUS: sealingKey,
  PUBLIC_URL: rule("an http or https URL", isWebAddress),
  ALLOWED_ORIGINS: rule("comma-separated origins such as https://console.example", (value) =>
    value
      .split(",")
      .map((origin) => origin.trim())
      .every((origin) => origin === "" || parsed(origin)?.origin === origin),
  ),
  TRUSTED_PROXIES: rule(
    "comma-separated addresses or ranges such as 192.0.2.0/28, but not the range of all addresses",
    (value) => parseRanges(value) !== undefined,
  ),
  DISABLE_PKI_CONSTRAINTS_VERIFICATION: flag,
  LOG: rule("text or json", (value) => value === "text" || value === "json"),
  LOG_LEVEL: rule("error, warn or info", (value) => /^(?:error|warn|info)$/.test(value)),
  AUDIT: flag,
  VARS_STRICT: flag,
  VARS_RATE_LIMIT: rule("a number of requests per second, or 0 for unlimited", (value) =>
    /^[0-9]{1,9}$/.test(value),
  ),
  VARS_CATEGORY_SPELLING: rule("echo, iac or terraform", (value) =>
    /^(?:echo|iac|terraform)$/.test(value),
  ),
  ACME_PRIVATE_NETWORKS: flag,
  ACME_HTTP_PORT: port,
  ACME_TLS_PORT: port,
  ACME_ACCOUNT_LIMIT: rule("a number of accounts per hour, 0 for unlimited, or public", (value) =>
    /^(?:[0-9]{1,9}|public)$/.test(value),
  ),
  ACME_CONNECTIONS: rule(
    "a number of connections from 2 to 9999",
    (value) => /^[1-9][0-9]{0,3}$/.test(value) && value !== "1",
  ),
  DNS_RESOLVER_URL: rule("an http or https URL", isWebAddress),
  DNS_NAMESERVER: rule(
    "an IP address, with a port if not 53",
    (value) => nameserverOf(value) !== undefined,
  ),
};

/** Quotes a value for a message, unless it is secret. */
const quoteValue = (name: string, value: string): string =>
  /KEY|TOKEN|DATABASE_URL/.test(name) ? "" : `, not ${JSON.stringify(value.slice(0, 100))}`;

/** Throws {@link SettingError} for the first invalid setting. Empty values count as unset. */
export function requireValidSettings(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    const expected = value === "" ? undefined : rules[name]?.(value);
    if (expected !== undefined)
      throw new SettingError(`${name} must be ${expected}${quoteValue(name, value)}.`, name);
  }
}
