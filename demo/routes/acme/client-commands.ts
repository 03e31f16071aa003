/** The values that a client's commands contain. */
interface ClientSetup {
  /** URL of the directory. */
  readonly directory: string;
  /** DNS name or IP address in the requested certificate. */
  readonly name: string;
  /** ID of an external account binding key; empty if there is none. */
  readonly eab: string;
}

/** The setup instructions for a client. */
interface Snippet {
  readonly client: string;
  /** Label of the text, such as `Command`, or the name of a file. */
  readonly kind: string;
  /** Whether Sealwright's tests run this text. */
  readonly tested: boolean;
  /** A setting to add on systems that do not trust the issuer of the server's certificate. */
  readonly trust: { readonly text: string; readonly place: string };
  readonly text: (setup: ClientSetup) => string;
}

/** Quotes a word for the shell if it contains special characters. */
const word = (text: string): string =>
  /^[\w.:/@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Quotes a value for YAML or a Caddyfile. Their quoting rules agree for URLs, names and key IDs.
 */
const quoted = (text: string): string =>
  /^[a-zA-Z][\w.:/@%+-]*$/.test(text) ? text : JSON.stringify(text);

/** Joins the lines of a command. */
const command = (...lines: readonly (string | false)[]): string =>
  lines.filter((line) => line !== false).join(" \\\n  ");

const certbot = ({ directory, name, eab }: ClientSetup): string =>
  command(
    "certbot certonly --standalone",
    `--server ${word(directory)}`,
    eab !== "" && `--eab-kid ${word(eab)} --eab-hmac-key "$EAB_HMAC_KEY"`,
    "--agree-tos --register-unsafely-without-email",
    `-d ${word(name)}`,
  );

const lego4 = ({ directory, name, eab }: ClientSetup): string =>
  command(
    `lego --server ${word(directory)}`,
    eab !== "" && `--eab --kid ${word(eab)} --hmac "$EAB_HMAC_KEY"`,
    "--accept-tos --email you@example.com",
    `--http --domains ${word(name)} run`,
  );

const lego5 = ({ directory, name, eab }: ClientSetup): string =>
  command(
    `lego run --server ${word(directory)}`,
    eab !== "" && `--eab --eab.kid ${word(eab)} --eab.hmac "$EAB_HMAC_KEY"`,
    "--accept-tos --email you@example.com",
    `--http --domains ${word(name)}`,
  );

const acmeSh = ({ directory, name, eab }: ClientSetup): string =>
  [
    command(
      `acme.sh --register-account --server ${word(directory)}`,
      eab !== "" && `--eab-kid ${word(eab)} --eab-hmac-key "$EAB_HMAC_KEY"`,
    ),
    command(`acme.sh --issue --standalone --server ${word(directory)}`, `-d ${word(name)}`),
  ].join("\n");

const caddy = ({ directory, name, eab }: ClientSetup): string =>
  [
    "{",
    `  acme_ca ${quoted(directory)}`,
    ...(eab === ""
      ? []
      : ["  acme_eab {", `    key_id ${quoted(eab)}`, "    mac_key {$EAB_HMAC_KEY}", "  }"]),
    "}",
    "",
    `${quoted(name)} {`,
    '  respond "It works"',
    "}",
  ].join("\n");

const certManager = ({ directory, eab }: ClientSetup): string =>
  [
    "apiVersion: cert-manager.io/v1",
    "kind: ClusterIssuer",
    "metadata:",
    "  name: sealwright",
    "spec:",
    "  acme:",
    `    server: ${quoted(directory)}`,
    "    privateKeySecretRef:",
    "      name: sealwright-account",
    ...(eab === ""
      ? []
      : [
          "    externalAccountBinding:",
          `      keyID: ${JSON.stringify(eab)}`,
          "      keySecretRef:",
          "        name: sealwright-eab",
          "        key: hmac",
        ]),
    "    solvers:",
    "      - http01:",
    "          ingress:",
    "            ingressClassName: nginx",
  ].join("\n");

const traefik = ({ directory, eab }: ClientSetup): string => {
  const option = "--certificatesresolvers.sealwright.acme";
  return command(
    "traefik --entrypoints.web.address=:80 --entrypoints.websecure.address=:443",
    word(`${option}.caserver=${directory}`),
    `${option}.storage=acme.json`,
    eab !== "" && word(`${option}.eab.kid=${eab}`),
    eab !== "" && `${option}.eab.hmacencoded="$EAB_HMAC_KEY"`,
    `${option}.httpchallenge.entrypoint=web`,
  );
};

/** Returns the command that provides the secret of an EAB key, by default a placeholder. */
export const eabSecret = (client: string, key = "KEY"): string =>
  client === "cert-manager"
    ? `kubectl create secret generic sealwright-eab --namespace cert-manager --from-literal=hmac=${key}`
    : `export EAB_HMAC_KEY=${key}`;

/** The setup instructions for the clients. Users can copy them unchanged. */
export const snippets: readonly Snippet[] = [
  {
    client: "certbot",
    kind: "Command",
    tested: true,
    text: certbot,
    trust: { text: "REQUESTS_CA_BUNDLE=ca.pem", place: "to the environment" },
  },
  {
    client: "lego 4",
    kind: "Command",
    tested: true,
    text: lego4,
    trust: { text: "LEGO_CA_CERTIFICATES=ca.pem", place: "to the environment" },
  },
  {
    client: "lego 5",
    kind: "Command",
    tested: true,
    text: lego5,
    trust: { text: "LEGO_CA_CERTIFICATES=ca.pem", place: "to the environment" },
  },
  {
    client: "acme.sh",
    kind: "Commands",
    tested: true,
    text: acmeSh,
    trust: { text: "--ca-bundle ca.pem", place: "to both commands" },
  },
  {
    client: "Caddy",
    kind: "Caddyfile",
    tested: true,
    text: caddy,
    trust: { text: "acme_ca_root ca.pem", place: "below acme_ca" },
  },
  {
    client: "cert-manager",
    kind: "Manifest",
    tested: false,
    text: certManager,
    trust: { text: "caBundle", place: "below server, with ca.pem in base64" },
  },
  {
    client: "Traefik",
    kind: "Command",
    tested: false,
    text: traefik,
    trust: { text: "LEGO_CA_CERTIFICATES=ca.pem", place: "to the environment" },
  },
];
