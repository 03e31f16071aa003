import type { EstConfig } from "./calls.ts";

/** An absolute EST path, with its title. */
interface EstPath {
  readonly path: string;
  readonly title: string;
  /**
   * The label after `/.well-known/est`. Absent for other paths, which some clients do not support.
   */
  readonly label?: string;
}

/** Returns the EST paths: those under `/.well-known/est`, and those of the mount. */
export function estPaths(
  { default_mount, default_path_policy: policy, label_to_path_policy: labels }: EstConfig,
  mount: string,
  roles: readonly string[],
): readonly EstPath[] {
  const wellKnownPath = "/.well-known/est";
  const own = `/v1/${mount}`;
  return [
    ...Object.keys(labels)
      .toSorted()
      .map((label) => ({ path: `${wellKnownPath}/${label}`, title: `Label ${label}`, label })),
    ...(default_mount && policy !== ""
      ? [{ path: wellKnownPath, title: "Without a label", label: "" }]
      : []),
    ...(policy === "" ? [] : [{ path: `${own}/est`, title: "Mount path" }]),
    ...roles.map((role) => ({
      path: `${own}/roles/${encodeURIComponent(role)}/est`,
      title: `Path for role ${role}`,
    })),
  ];
}

/** The values that a client's commands contain. */
interface EstSetup {
  /** Origin of the server: scheme, host and port. */
  readonly base: string;
  readonly at: EstPath;
  /** DNS name in the requested certificate. */
  readonly name: string;
  /** The user name or role ID; `USER` by default. */
  readonly user: string;
}

/** The enrollment commands for a client. */
interface EstSnippet {
  readonly client: string;
  /** Whether Sealwright's tests run this text. */
  readonly tested: boolean;
  /** Returns the commands; empty if the client cannot use the path. */
  readonly text: (setup: EstSetup) => string;
}

/** Quotes a word for the shell if it contains special characters. */
const word = (text: string): string =>
  /^[\w.:/@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

const request = (name: string): readonly string[] => [
  "openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout est.key \\",
  `  -subj ${word(`/CN=${name}`)} -addext ${word(`subjectAltName=DNS:${name}`)} -outform DER -out est.csr`,
];
const printCertificates = (out: string): string =>
  `  openssl base64 -d | openssl pkcs7 -inform DER -print_certs -out ${out}`;

const curl = ({ base, at, name, user }: EstSetup): string => {
  const url = `${base}${at.path}`;
  return [
    `curl -sS --fail ${word(`${url}/cacerts`)} | \\`,
    printCertificates("cacerts.pem"),
    ...request(name),
    "openssl base64 -in est.csr -out est.b64",
    `curl -sS --fail --user ${word(user)}:"$EST_PASSWORD" \\`,
    '  -H "Content-Type: application/pkcs10" -H "Content-Transfer-Encoding: base64" \\',
    `  --data-binary @est.b64 ${word(`${url}/simpleenroll`)} | \\`,
    printCertificates("est.pem"),
  ].join("\n");
};

const reenroll = ({ base, at, name }: EstSetup): string =>
  [
    ...request(name).map((line) =>
      line.replace("est.key", "next.key").replace("est.csr", "next.csr"),
    ),
    "openssl base64 -in next.csr -out next.b64",
    "curl -sS --fail --cert est.pem --key est.key \\",
    '  -H "Content-Type: application/pkcs10" -H "Content-Transfer-Encoding: base64" \\',
    `  --data-binary @next.b64 ${word(`${base}${at.path}/simplereenroll`)} | \\`,
    printCertificates("next.pem"),
  ].join("\n");

const estclient = ({ base, at, name, user }: EstSetup): string => {
  if (at.label === undefined) return "";
  const { hostname, port } = new URL(base);
  const server = `-server ${word(`${hostname}:${port || "443"}`)}${at.label && ` -aps ${word(at.label)}`}`;
  return [
    `estclient cacerts ${server} -insecure -rootout -out anchor.pem`,
    "openssl ecparam -genkey -name prime256v1 -noout -out est.key",
    `estclient csr -key est.key -cn ${word(name)} -dnsnames ${word(name)} -out est.csr`,
    `estclient enroll ${server} -explicit anchor.pem \\`,
    `  -user ${word(user)} -pass "$EST_PASSWORD" -csr est.csr -out est.pem`,
  ].join("\n");
};

/** The commands for the clients. Users can copy them unchanged. */
export const estSnippets: readonly EstSnippet[] = [
  { client: "curl and openssl", tested: true, text: curl },
  { client: "Renewal with curl", tested: false, text: reenroll },
  { client: "estclient", tested: false, text: estclient },
];
