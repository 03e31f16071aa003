import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Connection } from "./connection.ts";
import { createServer } from "../client/node-http.ts";
import { LaunchError } from "../settings/launch-error.ts";
import { printable } from "./output.ts";
import { callEndpoint, documentOf } from "./raw-call.ts";

/** A login at an OpenID provider in the user's browser. */
interface BrowserLogin {
  /** Path of the login method, including `auth/`. */
  readonly at: string;
  readonly role: string | undefined;
  /** Host of the redirect URI. The response is received on `port` of 127.0.0.1. */
  readonly host: string;
  readonly port: number;
  /** Time that the user has to log in (ms). */
  readonly timeout: number;
  /** Shows the URL to the user, or opens it. */
  show(url: string): void;
}
type Fields = Readonly<Record<string, string>>;
type Reply = ReturnType<typeof callEndpoint>;

const callbackPath = "/oidc/callback";
/** Maximum size in bytes of a `form_post` response from the provider. */
const maxBytes = 32 * 1024;

/**
 * Logs in with the browser. A listener on 127.0.0.1 receives the provider's response. Rejects with
 * {@link LaunchError} if the port is in use, or if the login fails or times out.
 */
export async function logInByBrowser(connection: Connection, login: BrowserLogin): Reply {
  const { at, role, host, port } = login;
  const client_nonce = randomBytes(32).toString("base64url");
  const listener = createServer();
  try {
    await listen(listener, port);
    const address = listener.address();
    const actual = typeof address === "object" && address ? address.port : port;
    const begun = await callEndpoint(connection, "POST", `${at}/oidc/auth_url`, {
      redirect_uri: `http://${host}:${actual}${callbackPath}`,
      client_nonce,
      ...(role === undefined ? {} : { role }),
    });
    const url = authUrlOf(documentOf(begun));
    const received = receive(listener, url.searchParams.get("state") ?? "", login.timeout);
    login.show(url.href);
    const fields = await received;
    return await callEndpoint(connection, "GET", `${at}${callbackPath}`, {
      ...fields,
      client_nonce,
    });
  } finally {
    listener.close().closeAllConnections();
  }
}

function listen(listener: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new LaunchError(
          `Cannot listen on 127.0.0.1:${port} (${error.code ?? error.message}); set another --port.`,
        ),
      ),
    );
    listener.listen(port, "127.0.0.1", resolve);
  });
}

/**
 * Returns the authorization URL in a response. Throws {@link LaunchError} if it is missing, is not
 * an https URL, or has no `state`.
 */
function authUrlOf(document: ReturnType<typeof documentOf>): URL {
  const { auth_url: text } = { ...(document?.["data"] as { auth_url?: unknown } | null) };
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" && url.searchParams.get("state")) return url;
  throw new LaunchError("The response contains no https URL for the identity provider.");
}

/**
 * Waits for the response whose `state` matches, and resolves with its parameters. Rejects with
 * {@link LaunchError} on an error response or a timeout.
 */
function receive(listener: Server, state: string, timeout: number): Promise<Fields> {
  return new Promise((resolve, reject) => {
    const seconds = timeout / 1000;
    const timer = setTimeout(
      () => reject(new LaunchError(`Nobody logged in within ${seconds} seconds.`)),
      timeout,
    );
    listener.on("request", (request: IncomingMessage, reply: ServerResponse) => {
      void answer(request, reply).catch(() => reply.destroy());
    });
    async function answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
      const fields = await parametersOf(request);
      // any web page can send the browser to this URL
      if (!fields || fields.get("state") !== state)
        return showPage(
          reply,
          400,
          "This response does not belong to the login that is in progress.",
        );
      clearTimeout(timer);
      const error = fields.get("error");
      if (error !== null) {
        showPage(reply, 200, "The login failed. Return to the terminal.");
        const about = fields.get("error_description") ?? "";
        const text = `${error.slice(0, 64)}${about && `: ${about.slice(0, 256)}`}`;
        return reject(
          new LaunchError(`The identity provider rejected the login: ${printable(text)}`),
        );
      }
      showPage(reply, 200, "The login continues in the terminal. You can close this page.");
      const [code, iss] = [fields.get("code"), fields.get("iss")];
      resolve({ state, ...(code === null ? {} : { code }), ...(iss === null ? {} : { iss }) });
    }
  });
}

/**
 * Returns the parameters of an authorization response, from the query or a `form_post` body.
 * Returns undefined for other requests.
 */
async function parametersOf(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  if (url.pathname !== callbackPath) return undefined;
  if (request.method === "GET") return url.searchParams;
  if (request.method !== "POST") return undefined;
  let text = "";
  for await (const part of request.setEncoding("utf8")) {
    text += String(part);
    if (text.length > maxBytes) return undefined;
  }
  return new URLSearchParams(text);
}

/** Sends a page that loads no resources and quotes nothing from the response. */
function showPage(reply: ServerResponse, status: number, text: string): void {
  reply
    .writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      connection: "close",
    })
    .end(`<!doctype html><html lang="en"><title>Sealwright</title><p>${text}</p></html>\n`);
}

/** Opens a URL in the user's browser. Does nothing if there is no browser. */
export function openBrowser(url: string): void {
  const [program, ...words] =
    process.platform === "darwin"
      ? ["open"]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler"]
        : ["xdg-open"];
  if (program === undefined) return;
  const opened = spawn(program, [...words, url], { stdio: "ignore", detached: true });
  opened.on("error", () => {});
  opened.unref();
}
