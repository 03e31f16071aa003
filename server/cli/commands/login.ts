import { RefusedError } from "../../../src/client/index.ts";
import { encodePath } from "../api-path.ts";
import { logInByBrowser, openBrowser } from "../browser-login.ts";
import type { Command, Flag } from "../command.ts";
import {
  chooseServer,
  connectionFlags,
  connectionTo,
  withToken,
  jsonFlag,
  type ServerChoice,
} from "../connection.ts";
import { UsageError } from "../flags.ts";
import { readInput } from "../input.ts";
import { LaunchError } from "../../settings/launch-error.ts";
import { printable, printJson } from "../output.ts";
import { readSecretLine } from "../prompt.ts";
import { callEndpoint, documentOf } from "../raw-call.ts";
import { storeToken } from "../token-store.ts";

type Flags = ReadonlyMap<string, string>;
type Fields = Readonly<Record<string, string>>;
/** A login request: a path under the login method, and the fields of the body. */
interface LoginRequest {
  readonly path: string;
  readonly fields: Fields;
}

const methods: Readonly<Record<string, (flags: Flags) => Promise<LoginRequest>>> = {
  async userpass(flags) {
    const username = required(flags, "--username");
    const password = await secretOf(flags, "--password-file", "Password: ");
    return { path: `login/${encodePath(username)}`, fields: { password } };
  },
  async approle(flags) {
    const role_id = required(flags, "--role-id");
    const secret_id = await secretOf(flags, "--secret-id-file", "Secret ID: ");
    return { path: "login", fields: { role_id, secret_id } };
  },
  async cert(flags) {
    required(flags, "--cert");
    required(flags, "--key");
    const name = flags.get("--role");
    return { path: "login", fields: name === undefined ? {} : { name } };
  },
  async jwt(flags) {
    const role = flags.get("--role");
    const jwt = await secretOf(flags, "--jwt-file", "JWT: ");
    return { path: "login", fields: { jwt, ...(role === undefined ? {} : { role }) } };
  },
};

const loginFlags: readonly Flag[] = [
  { flag: "--path", meaning: "path of the login method", default: "the name of the method" },
  { flag: "--username", meaning: "userpass: the user", default: "none" },
  {
    flag: "--password-file",
    meaning: "userpass: file with the password, or - for standard input",
    default: "prompt on the terminal",
  },
  { flag: "--role-id", meaning: "approle: the RoleID", default: "none" },
  {
    flag: "--secret-id-file",
    meaning: "approle: file with the SecretID, or - for standard input",
    default: "prompt on the terminal",
  },
  {
    flag: "--role",
    meaning: "oidc, jwt and cert: the role",
    default: "the default role of the method",
  },
  {
    flag: "--jwt-file",
    meaning: "jwt: file with the JWT, or - for standard input",
    default: "prompt on the terminal",
  },
  { flag: "--port", meaning: "oidc: port on 127.0.0.1 for the redirect", default: "8250" },
  {
    flag: "--callback-host",
    meaning: "oidc: host of the redirect URI, 127.0.0.1 or localhost",
    default: "127.0.0.1",
  },
  {
    flag: "--no-browser",
    meaning: "oidc: print the URL instead of opening it",
    default: "open a browser",
    isSwitch: true,
  },
  { flag: "--cert", meaning: "cert: PEM file with certificate and chain", default: "none" },
  { flag: "--key", meaning: "cert: PEM file with its private key", default: "none" },
  {
    flag: "--print",
    meaning: "print the token instead of storing it",
    default: "store it",
    isSwitch: true,
  },
];

/** Declares `login`, which logs in and stores the token. */
export const login: Command = {
  name: "login",
  summary: "log in and store the token",
  arguments: [
    {
      name: "method",
      meaning: "userpass, oidc, approle, cert or jwt; or token, to store an existing token",
      choices: [...Object.keys(methods), "oidc", "token"],
    },
  ],
  flags: [...connectionFlags, ...loginFlags, jsonFlag],
  about: [
    "Logs in and stores the token for this server in ~/.config/sealwright/tokens.json (mode 0600).",
    "SEALWRIGHT_CONFIG_DIR sets another directory. The token is sent only to this server.",
    "oidc opens a browser at the identity provider and waits for the redirect to",
    "http://127.0.0.1:8250/oidc/callback. The role and the provider must allow this URL.",
  ],
  otherExamples: {
    notRun: "prompts for a password",
    lines: [
      "sealwright login userpass --username ann",
      "sealwright login oidc --role people",
      "sealwright login jwt --role ci --jwt-file token.jwt --print",
    ],
  },
  async run({ flags, words: [method = ""] }, { env }) {
    const server = await chooseServer(flags, env);
    const { client_token: token, ...about } = await loginAt(server, method, flags);
    const isPrinted = flags.has("--print");
    const path = isPrinted ? undefined : storeToken(env, server.name, token);
    if (flags.has("--json")) printJson({ ...about, ...(isPrinted ? { client_token: token } : {}) });
    else if (isPrinted) console.log(token);
    else console.log(`${formatLogin(about)}\nThe token is stored in ${path}.`);
    return 0;
  },
};

async function loginAt(server: ServerChoice, method: string, flags: Flags): Promise<Login> {
  if (method === "oidc") return await logInWithBrowser(server, flags);
  const request = await methods[method]?.(flags);
  return request === undefined
    ? await lookUp(server, await secretOf(flags, "--token-file", "Token: "))
    : await logIn(await withCertificate(server, flags), method, request, flags);
}

interface Login {
  readonly client_token: string;
  readonly policies: readonly string[];
  /** Remaining lifetime in seconds; 0 if the token does not expire. */
  readonly lease_duration: number;
}

async function logIn(
  server: ServerChoice,
  method: string,
  { path, fields }: LoginRequest,
  flags: Flags,
): Promise<Login> {
  const mount = `auth/${encodePath(flags.get("--path") ?? method)}`;
  const connection = connectionTo(withToken(server, ""));
  try {
    return loginOf(await callEndpoint(connection, "POST", `${mount}/${path}`, fields));
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code !== "forbidden") throw error;
    throw new LaunchError(
      `The server rejected the login (forbidden): check that ${mount}/ is a login method of type ${method}, or select another path with --path.`,
      { cause: error },
    );
  }
}

/** Time that a user has to log in with the browser (ms). */
const browserTimeout = 300_000;
async function logInWithBrowser(server: ServerChoice, flags: Flags): Promise<Login> {
  const [host, port] = [flags.get("--callback-host") ?? "127.0.0.1", flags.get("--port") ?? "8250"];
  if (host !== "127.0.0.1" && host !== "localhost")
    throw new UsageError(`--callback-host must be 127.0.0.1 or localhost, not ${printable(host)}.`);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageError(`--port must be a number up to 65535, not ${printable(port)}.`);
  const reply = await logInByBrowser(connectionTo(withToken(server, "")), {
    at: `auth/${encodePath(flags.get("--path") ?? "oidc")}`,
    role: flags.get("--role"),
    host,
    port: Number(port),
    timeout: browserTimeout,
    show(url) {
      console.error(`Log in at the identity provider:\n${url}`);
      if (!flags.has("--no-browser")) openBrowser(url);
    },
  });
  return loginOf(reply);
}

/**
 * Parses the token and its properties in a login response. Throws {@link LaunchError} if the
 * response contains no token.
 */
function loginOf(reply: Awaited<ReturnType<typeof callEndpoint>>): Login {
  const auth: unknown = documentOf(reply)?.["auth"];
  const { client_token, policies, lease_duration } = { ...(auth as Partial<Login> | null) };
  if (typeof client_token !== "string") throw new LaunchError("The response contains no token.");
  return { client_token, policies: policies ?? [], lease_duration: lease_duration ?? 0 };
}

/** Looks up a token. Rejects if the token is not valid. */
async function lookUp(server: ServerChoice, token: string): Promise<Login> {
  const connection = connectionTo(withToken(server, token));
  const reply = await callEndpoint(connection, "GET", "auth/token/lookup-self");
  const data: unknown = documentOf(reply)?.["data"];
  const { policies = [], ttl = 0 } = {
    ...(data as { policies?: readonly string[]; ttl?: number } | null),
  };
  return { client_token: token, policies, lease_duration: ttl };
}

/**
 * Adds the client certificate of `--cert` to the connection options. Throws {@link UsageError} if
 * the server's URL is not https.
 */
async function withCertificate(server: ServerChoice, flags: Flags): Promise<ServerChoice> {
  const [cert, key] = [flags.get("--cert"), flags.get("--key")];
  if (cert === undefined || key === undefined) return server;
  if (!server.url.startsWith("https:"))
    throw new UsageError("login cert requires the https URL of the server; set --address.");
  const options = { ...server.options, cert: await readInput(cert), key: await readInput(key) };
  return { ...server, options };
}

function required(flags: Flags, flag: string): string {
  const value = flags.get(flag);
  if (value) return value;
  throw new UsageError(`This login method requires ${flag}; see sealwright help login.`);
}

const secretOf = async (flags: Flags, flag: string, question: string): Promise<string> => {
  const file = flags.get(flag);
  const text = file === undefined ? await readSecretLine(question) : await readInput(file);
  return text.trim();
};

function formatLogin({ policies, lease_duration }: Omit<Login, "client_token">): string {
  const hours = Math.floor(lease_duration / 3600);
  const expiry =
    lease_duration === 0
      ? "does not expire"
      : `expires in ${hours > 0 ? `${hours} hours` : `${Math.floor(lease_duration / 60)} minutes`}`;
  return `Logged in with the policies ${printable(policies.join(", "))}; the token ${expiry}.`;
}
