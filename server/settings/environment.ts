/** An environment variable of the server. Descriptions are Markdown, for docs/settings.md. */
interface Variable {
  readonly name: string;
  readonly meaning: string;
  /** Value or behavior if the variable is not set. */
  readonly default: string;
  /**
   * Whether the value is secret: the variable then has no flag, because other users of the machine
   * can read command lines.
   */
  readonly secret?: true;
  /** Whether the value can be read from a file; always true for secrets. */
  readonly file?: true;
  /** Whether an empty value has a meaning; otherwise an empty variable counts as unset. */
  readonly acceptsEmpty?: true;
}

const serving: readonly Variable[] = [
  { name: "PORT", meaning: "TCP port to listen on; `0` picks a free port", default: "`8787`" },
  {
    name: "HOST",
    meaning: "IP address to listen on; `0.0.0.0` means all IPv4 addresses of the host",
    default: "`127.0.0.1`",
  },
  {
    name: "DATA_DIR",
    meaning: "directory for the database and generated secrets",
    default: "`./data`",
  },
  {
    name: "DATABASE_URL",
    meaning:
      "`postgres://user:password@host/database`: a PostgreSQL database, version 14 or later, that stores everything except secrets; several servers can share it (see [Several servers](deploy.md#several-servers-on-one-postgresql)). Other users of the machine can read command lines: if the URL has a password, set the variable or use a file",
    default: "none: SQLite in `data/sealwright.db`",
    file: true,
  },
  {
    name: "DATABASE_CONNECTIONS",
    meaning: "maximum number of PostgreSQL connections of this server, across all its processes",
    default: "`40`, or 5 for each process plus 5 for jobs if that is more",
  },
  {
    name: "BACKUP_DIR",
    meaning: "directory for a daily backup of every mount; the newest seven of each are kept",
    default: "none: no daily backups",
  },
  {
    name: "PUBLIC_URL",
    meaning: "URL that clients use; prefills `config/cluster` of new mounts, unless it is empty",
    default: "the address the server listens on",
    acceptsEmpty: true,
  },
  {
    name: "TLS",
    meaning:
      "source of an HTTPS certificate that the server issues to itself and renews: `own`, or a role such as `pki/issue/server` (see [TLS](deploy.md#tls))",
    default: "none: HTTP",
  },
  {
    name: "TLS_NAMES",
    meaning: "comma-separated host names and IP addresses in the certificate that `TLS` issues",
    default: "the host of `PUBLIC_URL`, `HOST`, and `localhost` if the server listens on it",
  },
  {
    name: "TLS_CERT",
    meaning:
      "PEM file with the certificate chain for HTTPS; reloaded when it changes and on SIGHUP",
    default: "none: HTTP",
  },
  {
    name: "TLS_KEY",
    meaning: "PEM file with the private key of `TLS_CERT`",
    default: "none: HTTP",
  },
  {
    name: "CLIENT_CERTIFICATES",
    meaning:
      "how clients present certificates (see [Client certificates](deploy.md#client-certificates)): `optional` requests one in every TLS handshake; `port:8788` only on that port; `header` accepts certificates that trusted proxies forward, alone or combined with one of the others, separated by a comma",
    default: "none: client certificates are not accepted",
  },
  {
    name: "ALLOWED_ORIGINS",
    meaning:
      "comma-separated origins from which browsers may call the API (CORS), in addition to those in `sys/config/cors`",
    default: "none",
  },
  {
    name: "TRUSTED_PROXIES",
    meaning:
      "comma-separated IP addresses or CIDR ranges of proxies whose `X-Forwarded-For` header is trusted (see [Proxies](deploy.md#proxies))",
    default: "none",
  },
];

const secrets: readonly Variable[] = [
  {
    name: "SERVICE_ROOT_TOKEN",
    meaning: "root token, at least 16 characters; replaces the one in `data/root-token`",
    default: "generated on first start",
    secret: true,
  },
  {
    name: "SEALING_KEY",
    meaning: "AES-256 key that encrypts the CA keys: 32 bytes, base64",
    default: "`data/sealing-key`",
    secret: true,
  },
  {
    name: "SEALING_KEY_PREVIOUS",
    meaning: "previous sealing key, during key rotation",
    default: "none",
    secret: true,
  },
  {
    name: "METRICS_TOKEN",
    meaning: "token that can only read `sys/metrics` (see [Metrics](metrics.md))",
    default: "none",
    secret: true,
  },
];

const behavior: readonly Variable[] = [
  {
    name: "DISABLE_PKI_CONSTRAINTS_VERIFICATION",
    meaning:
      "`true` issues certificates even if they violate the constraints of their issuer's chain",
    default: "`false`",
  },
  {
    name: "WORKERS",
    meaning: "number of processes that serve clients; `1` runs everything in a single process",
    default: "one per CPU core, at most 8",
  },
  {
    name: "DEMO_DIR",
    meaning: "directory of a prebuilt console",
    default: "the console of the package, or one built from the sources",
  },
  {
    name: "LOG",
    meaning:
      "`text` or `json`: log one line per request, with the request ID and without secrets (see [Log](#log))",
    default: "failed requests only, as text",
  },
  {
    name: "LOG_LEVEL",
    meaning:
      "which requests are logged: `info` logs all, `warn` rejected and failed ones, `error` only failed ones",
    default: "`info`",
  },
  {
    name: "AUDIT",
    meaning: "`false` disables the audit log (see [Audit](audit.md))",
    default: "`true`",
  },
];

const acme: readonly Variable[] = [
  { name: "ACME_HTTP_PORT", meaning: "port dialled for http-01 validation", default: "`80`" },
  { name: "ACME_TLS_PORT", meaning: "port dialled for tls-alpn-01 validation", default: "`443`" },
  {
    name: "ACME_PRIVATE_NETWORKS",
    meaning:
      "`false` refuses private addresses for challenges, and for other outgoing connections unless their own settings allow them",
    default: "`true`",
  },
  {
    name: "ACME_ACCOUNT_LIMIT",
    meaning:
      "new ACME accounts per client network and hour, `0` = unlimited; `public` = 50, and unlimited from loopback and private addresses",
    default: "`public`",
  },
  {
    name: "ACME_CONNECTIONS",
    meaning: "maximum number of concurrent challenge validations per mount",
    default: "`50`",
  },
  {
    name: "SERVICE_DISABLE_PUBLIC_ACME",
    meaning:
      "any value except `false`, even an empty one: ACME only works in mounts whose `eab_policy` is `always-required`",
    default: "not set",
    acceptsEmpty: true,
  },
  {
    name: "DNS_NAMESERVER",
    meaning: "address, and port if not 53, of the DNS server, queried over TCP",
    default: "the first `nameserver` of `/etc/resolv.conf`",
  },
  {
    name: "DNS_RESOLVER_URL",
    meaning: "URL of a DNS-over-HTTPS resolver, used instead of `DNS_NAMESERVER`",
    default: "not set",
  },
];

const vars: readonly Variable[] = [
  {
    name: "VARS_CATEGORY_SPELLING",
    meaning:
      "variables API: `category` of variables in responses, `iac` or `terraform`; `echo` repeats what the client sent",
    default: "`echo`",
  },
  {
    name: "VARS_TOKEN",
    meaning: "variables API: the first token",
    default: "generated on first start",
    secret: true,
  },
  {
    name: "VARS_STRICT",
    meaning: "variables API: `false` also accepts the request formats of old clients",
    default: "`true`",
  },
  {
    name: "VARS_RATE_LIMIT",
    meaning: "variables API: requests per second per principal, `0` = unlimited",
    default: "`0`",
  },
];

const declared: readonly Variable[] = [...serving, ...secrets, ...behavior, ...acme, ...vars];

/** Returns the name of the variable that specifies the path of a secret's file. */
export const fileVariable = (secret: string): string => `${secret}_FILE`;

const hasFile = ({ secret, file }: Variable): boolean => secret ?? file ?? false;
/** Names of all variables whose values can be read from files. */
export const namesWithFile: readonly string[] = declared.filter(hasFile).map(({ name }) => name);

/** Names of all variables whose empty value has a meaning. */
export const namesAcceptingEmpty: readonly string[] = declared
  .filter(({ acceptsEmpty }) => acceptsEmpty)
  .map(({ name }) => name);

/**
 * All environment variables of the server, for the rows of docs/settings.md and the flags of
 * `serve`.
 */
export const variables: readonly Variable[] = declared.flatMap((one) =>
  hasFile(one)
    ? [
        one,
        {
          name: fileVariable(one.name),
          meaning: `path of a file with the value of \`${one.name}\``,
          default: "none",
        },
      ]
    : [one],
);

/** Returns the flag of `serve` that sets a variable. */
export const flagOf = (name: string): string => `--${name.toLowerCase().replaceAll("_", "-")}`;

/** Renders the table in docs/settings.md, without the padding that the formatter adds. */
export const table = (): string =>
  [
    "| environment | meaning | default |",
    "| --- | --- | --- |",
    ...variables.map(
      ({ name, meaning, default: fallback }) => `| \`${name}\` | ${meaning} | ${fallback} |`,
    ),
  ].join("\n");

/** Converts a Markdown description to plain text for a terminal. */
export const plain = (markdown: string): string =>
  markdown.replace(/ \(see \[[^\]]*\]\([^)]*\)\)/g, "").replaceAll("`", "");
