import { concat } from "../base/bytes.ts";
import type { Service } from "../engine/ports.ts";
import { ipToBytes } from "../x509/address.ts";
import { unlessAborted } from "./abort.ts";
import {
  requireSuccess,
  documentHeaders,
  hostOf,
  permittedAddresses,
  type FetchResponse,
  type FetchRequest,
  type OutgoingDocument,
  type DocumentRequest,
  type NetworkPorts,
} from "./guarded-fetch-target.ts";
import type { PlainRequest } from "./guarded-fetch-exchange.ts";
import { NetError } from "./failure.ts";
import { scopeFor } from "./outgoing-scope.ts";
import { TlsError } from "./tls-error.ts";

/**
 * Posts a document over HTTPS. Resolves when the server has accepted it with a status from 200 to
 * 299.
 */
export async function sendDocument(
  network: NetworkPorts,
  to: Omit<DocumentRequest, "maxBytes">,
  { headers, body }: OutgoingDocument,
): Promise<void> {
  await guardedFetch(network, { ...requestOf({ ...to, maxBytes: 0 }, true), headers, sent: body });
}

/**
 * Fetches a document with {@link guardedFetch}, and requires the status 200. If there are no roots,
 * uses the platform's own fetch.
 */
export async function readDocument(
  network: NetworkPorts,
  request: DocumentRequest,
): Promise<Uint8Array> {
  return (await guardedFetch(network, requestOf(request, false))).body;
}
const requestOf = (
  { roots, privateNetworks, ...rest }: DocumentRequest,
  sent: boolean,
): FetchRequest => ({
  ...rest,
  trust: roots.length === 0 ? "platform" : { roots },
  scope: scopeFor(privateNetworks, roots),
  checkStatus: (status) => requireSuccess(status, sent),
});

/**
 * Sends an HTTPS request: a POST if there is a body, and otherwise a GET. Connects to exactly the
 * address that was checked, and sends nothing before the server's certificate is verified. Returns
 * redirects, and does not follow them (security rows 35 to 38, 57). Rejects with `NetError`, whose
 * message quotes nothing from the server.
 */
export async function guardedFetch(
  network: NetworkPorts,
  request: FetchRequest,
): Promise<FetchResponse> {
  return await inTime(request.limit, async (signal) => {
    if (request.trust === "platform") return await byPlatform(network, request, signal);
    if (!network.dial) throw new NetError("connection", "this runtime cannot open connections");
    // imported only where connections can be opened, which pages cannot do
    const { fetchOverOwnTls } = await import("./guarded-fetch-tls.ts");
    return await fetchOverOwnTls(network, { ...request, trust: request.trust }, signal);
  });
}

/**
 * Fetches a document that is signed and therefore does not need TLS. Depending on the URL, uses
 * HTTP, or HTTPS with the platform's roots. Otherwise works as {@link guardedFetch} does.
 */
export async function fetchSigned(
  network: NetworkPorts,
  request: PlainRequest,
): Promise<FetchResponse> {
  if (new URL(request.url).protocol === "https:")
    return await guardedFetch(network, { ...request, trust: "platform" });
  // uses only this library's own connections, because without TLS, nothing else ensures that the
  // checked address is the one that is contacted
  return await inTime(request.limit, async (signal) => {
    const { exchangeOver } = await import("./guarded-fetch-exchange.ts");
    return await exchangeOver(network, request, signal, (connection) =>
      Promise.resolve(connection),
    );
  });
}

/**
 * Sends a request to a service binding of the platform. Passes on the URL, but checks neither
 * address nor certificate. Rejects as {@link guardedFetch} does.
 */
export async function fetchService(
  service: Service,
  request: Omit<FetchRequest, "trust" | "identity" | "scope">,
): Promise<FetchResponse> {
  return await inTime(request.limit, (signal) => byFetch(service, request, signal));
}

async function inTime(
  limit: number,
  fetchOnce: (signal: AbortSignal) => Promise<FetchResponse>,
): Promise<FetchResponse> {
  const soon = AbortSignal.timeout(limit);
  try {
    return await fetchOnce(soon);
  } catch (error) {
    if (soon.aborted)
      throw new NetError("connection", "the server did not respond in time", { late: true });
    if (error instanceof NetError) throw error;
    throw new NetError("connection", reasonOf(error), { cause: error });
  }
}
const broken = "the connection failed or was lost";
/** Codes of Node for a certificate that it rejects, for example without its CA. */
const untrusted = /^(?:CERT_|ERR_TLS_CERT|(?:DEPTH_ZERO_)?SELF_SIGNED|UNABLE_TO_)/;

function reasonOf(error: unknown): string {
  if (error instanceof TlsError) return `the TLS handshake failed: ${error.message}`;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return untrusted.test(code)
    ? `the certificate of the server is not trusted (${code}): configure its CA`
    : broken;
}

/**
 * Sends a request with the platform's fetch, which resolves the name itself. Therefore all
 * addresses of the name must be permitted. If they change in between, the server still needs a
 * publicly trusted certificate for the name.
 */
async function byPlatform(
  network: NetworkPorts,
  request: FetchRequest,
  signal: AbortSignal,
): Promise<FetchResponse> {
  const fetch = network.fetch?.bind(network);
  if (!fetch)
    throw new NetError("connection", "this runtime has no list of publicly trusted roots");
  if (request.identity)
    throw new TypeError("a client certificate requires roots or pinned certificates");
  const host = hostOf(new URL(request.url));
  if (network.resolve || ipToBytes(host)) {
    const { refused } = await permittedAddresses(network, host, { scope: request.scope, signal });
    if (refused[0] !== undefined) throw new NetError("connection", refused[0]);
  }
  return await byFetch({ fetch }, request, signal);
}

async function byFetch(
  service: Service,
  {
    url,
    headers,
    sent,
    maxBytes,
    checkStatus,
  }: Pick<FetchRequest, "url" | "headers" | "sent" | "maxBytes" | "checkStatus">,
  signal: AbortSignal,
): Promise<FetchResponse> {
  const answer = await unlessAborted(
    service.fetch(url, {
      headers: { ...documentHeaders, ...headers },
      redirect: "manual",
      signal,
      ...(sent ? { method: "POST", body: sent } : {}),
    }),
    signal,
  );
  // browsers reveal only that the response is a redirect
  const status = answer.type === "opaqueredirect" ? 302 : answer.status;
  try {
    checkStatus?.(status);
    if (maxBytes > 0) return { status, body: await bodyOf(answer, maxBytes, signal) };
  } catch (error) {
    void answer.body?.cancel().catch(() => undefined);
    throw error;
  }
  void answer.body?.cancel().catch(() => undefined);
  return { status, body: new Uint8Array() };
}

async function bodyOf(
  answer: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = answer.body?.getReader();
  try {
    for (;;) {
      const { value } = (await (reader && unlessAborted(reader.read(), signal))) ?? {};
      if (!value) return concat(parts);
      size += value.length;
      if (size > maxBytes)
        throw new NetError("response", `the response is longer than ${maxBytes} bytes`);
      parts.push(value);
    }
  } catch (error) {
    void reader?.cancel().catch(() => undefined);
    throw error;
  }
}
