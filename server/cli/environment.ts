/**
 * A variable of the environment that the server knows. Texts are Markdown, as docs/settings.md
 * shows them.
 */
export interface Variable {
  readonly name: string;
  readonly meaning: string;
  /** What holds where it is not set. */
  readonly unless: string;
  /** Has no flag: whoever is on the machine sees the words of a command. */
  readonly secret?: true;
  /** Can be read from a file, as every secret can. */
  readonly file?: true;
}

const where: readonly Variable[] = [
  { name: "PORT", meaning: "the port where it listens; `0`: any that is free", unless: "`8787`" },
  {
    name: "HOST",
    meaning: "the address where it listens; `0.0.0.0`: all of the host's",
    unless: "`127.0.0.1`",
  },
  { name: "DATA_DIR", meaning: "where everything is kept", unless: "`./data`" },
  {
    name: "DATABASE_URL",
    meaning:
      "`postgres://user:password@host/database`: the PostgreSQL database, 14 or later, that stores everything but secrets, also for several servers (see [Several servers](deploy.md#several-servers-on-one-postgresql)); others on the machine can read a password in the flag, so put it in the environment or a file",
    unless: "`data/sealwright.db`",
    file: true,
  },
  {
    name: "DATABASE_CONNECTIONS",
    meaning: "the most connections of this server to PostgreSQL, all processes together",
    unless: "`40`, or 5 for each process and 5 for jobs where that is more",
  },
  {
    name: "BACKUP_DIR",
    meaning: "where a backup of every mount is put once a day; seven are kept",
    unless: "none",
  },
  {
    name: "PUBLIC_URL",
    meaning: "the address clients use; prefills `config/cluster` of new mounts",
    unless: "the address it listens on",
  },
  {
    name: "TLS",
    meaning:
      "HTTPS by a certificate that the server issues to itself and renews: `own`, or a role such as `pki/issue/server` (see [TLS](deploy.md#tls))",
    unless: "HTTP",
  },
  {
    name: "TLS_NAMES",
    meaning: "host names and addresses of that certificate, separated by commas",
    unless: "the host of `PUBLIC_URL`, `HOST`, and `localhost` where it listens there",
  },
  {
    name: "TLS_CERT",
    meaning:
      "HTTPS by this certificate: a PEM file with its chain, read again when it changes and on SIGHUP",
    unless: "HTTP",
  },
  { name: "TLS_KEY", meaning: "the PEM file of its key", unless: "HTTP" },
  {
    name: "CLIENT_CERTIFICATES",
    meaning:
      "how clients present certificates (see [Client certificates](deploy.md#client-certificates)): `optional`: TLS requests one of every client; `port:8788`: only at this port; `header`: trusted proxies forward them, alone or after one of the others and a comma",
    unless: "not at all",
  },
  {
    name: "ALLOWED_ORIGINS",
    meaning:
      "origins that browsers may call from, separated by commas; `sys/config/cors` adds to them",
    unless: "none",
  },
  {
    name: "TRUSTED_PROXIES",
    meaning:
      "addresses or ranges of proxies whose `X-Forwarded-For` says who asks, separated by commas (see [A server of your own](deploy.md#proxies))",
    unless: "none",
  },
];

const secrets: readonly Variable[] = [
  {
    name: "SERVICE_ROOT_TOKEN",
    meaning: "the root token, instead of the file; at least 16 characters",
    unless: "drawn at the first start",
    secret: true,
  },
  {
    name: "SEALING_KEY",
    meaning: "base64 of 32 bytes under which CA keys are sealed",
    unless: "`data/sealing-key`",
    secret: true,
  },
  { name: "SEALING_KEY_PREVIOUS", meaning: "the one before", unless: "none", secret: true },
  {
    name: "METRICS_TOKEN",
    meaning: "a token that may only read `sys/metrics` (see [Metrics](metrics.md))",
    unless: "none",
    secret: true,
  },
];

const behaviour: readonly Variable[] = [
  {
    name: "DISABLE_PKI_CONSTRAINTS_VERIFICATION",
    meaning: "`true`: certificates may break the constraints of their issuer's chain",
    unless: "`false`",
  },
  {
    name: "WORKERS",
    meaning: "how many processes serve clients; `1`: a single process",
    unless: "one for each core, at most 8",
  },
  {
    name: "DEMO_DIR",
    meaning: "a directory with a console that is built already",
    unless: "the package's, or built from the sources",
  },
  {
    name: "LOG",
    meaning:
      "`text` or `json`: one line a request, without secrets, with the id of the reply (see [Log](#log))",
    unless: "failed requests alone, as text",
  },
  {
    name: "LOG_LEVEL",
    meaning:
      "which requests `LOG` logs: `info` all, `warn` rejected and failed ones, `error` failed ones",
    unless: "`info`",
  },
  {
    name: "AUDIT",
    meaning: "`false`: what changed or was refused is not told of (see [Audit](audit.md))",
    unless: "`true`",
  },
];

const acme: readonly Variable[] = [
  {
    name: "ACME_HTTP_PORT",
    meaning: "the port at which http-01 challenges are looked for",
    unless: "`80`",
  },
  { name: "ACME_TLS_PORT", meaning: "that of tls-alpn-01", unless: "`443`" },
  {
    name: "ACME_PRIVATE_NETWORKS",
    meaning: "`false`: challenges are not taken to private addresses",
    unless: "`true`",
  },
  {
    name: "ACME_ACCOUNT_LIMIT",
    meaning:
      "new accounts an address and hour, 0: any; `public`: 50, and any from loopback and private addresses",
    unless: "`public`",
  },
  {
    name: "ACME_CONNECTIONS",
    meaning: "challenges of one mount that are asked for at once",
    unless: "`50`",
  },
  {
    name: "SERVICE_DISABLE_PUBLIC_ACME",
    meaning:
      "present and not `false`: ACME works only in mounts whose `eab_policy` is `always-required`",
    unless: "not set",
  },
  {
    name: "DNS_NAMESERVER",
    meaning: "address (and port) of the nameserver, asked over TCP",
    unless: "the first of `/etc/resolv.conf`",
  },
  {
    name: "DNS_RESOLVER_URL",
    meaning: "address of DNS over HTTPS, asked in the place of a nameserver",
    unless: "not set",
  },
];

const vars: readonly Variable[] = [
  {
    name: "VARS_CATEGORY_SPELLING",
    meaning: "category of variables: `iac` or `terraform` in every answer, `echo`: as it was sent",
    unless: "`echo`",
  },
  {
    name: "VARS_TOKEN",
    meaning: "the first token of the variables API",
    unless: "drawn at the first start",
    secret: true,
  },
  { name: "VARS_STRICT", meaning: "`false`: it takes what old clients send", unless: "`true`" },
  { name: "VARS_RATE_LIMIT", meaning: "its requests a second, 0: any", unless: "`0`" },
];

const declared: readonly Variable[] = [...where, ...secrets, ...behaviour, ...acme, ...vars];

/** The variable that names a file with the value of a secret. */
export const fileVariable = (secret: string): string => `${secret}_FILE`;

/** The names of all secrets. */
export const secretNames: readonly string[] = declared
  .filter(({ secret }) => secret)
  .map(({ name }) => name);

const hasFile = ({ secret, file }: Variable): boolean => secret ?? file ?? false;
/** The names of all variables whose value a file can hold. */
export const namesWithFile: readonly string[] = declared.filter(hasFile).map(({ name }) => name);

/** What the server takes from the environment: the table of docs/settings.md, and the flags. */
export const variables: readonly Variable[] = declared.flatMap((one) =>
  hasFile(one)
    ? [
        one,
        { name: fileVariable(one.name), meaning: `a file with \`${one.name}\``, unless: "none" },
      ]
    : [one],
);

/** The flag of a variable. */
export const flagOf = (name: string): string => `--${name.toLowerCase().replaceAll("_", "-")}`;

/** The table as docs/settings.md shows it, without the blanks that its formatter adds. */
export const table = (): string =>
  [
    "| environment | meaning | default |",
    "| --- | --- | --- |",
    ...variables.map(({ name, meaning, unless }) => `| \`${name}\` | ${meaning} | ${unless} |`),
  ].join("\n");

/** Markdown as text of a terminal. */
export const plain = (markdown: string): string =>
  markdown.replace(/ \(see \[[^\]]*\]\([^)]*\)\)/g, "").replaceAll("`", "");
