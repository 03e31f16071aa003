import { CaError } from "../../base/errors.ts";
import { exchange, type HttpResponse } from "../../net/http.ts";
import { NetError } from "../../net/failure.ts";
import { connectTls } from "../../net/tls.ts";
import type { Connection } from "../../engine/ports.ts";
import { ipToBytes } from "../../x509/address.ts";
import { PermanentFailure, type ValidationNetwork } from "./challenge-type.ts";
import { firstLocation, followRedirect, type Location } from "./http-location.ts";
import { sameText, type Proof } from "./proof.ts";
import { connectTo, deadlineOf, namedAs, tlsFault } from "./validation-network.ts";

/** Maximum number of redirects (B 5.10, security row 36). */
const maxRedirects = 8;
/** Maximum length of a body in bytes (B 5.10, security row 37). */
const maxBodyBytes = 512;
/**
 * Timeouts in ms: for the TLS handshake and a response's header section together, and for the
 * response's body (B 5.10).
 */
const [headLimit, bodyLimit] = [10_000, 10_000];
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Validates http-01 (RFC 8555 section 8.3, B 5.10): after at most eight redirects, a response of
 * any status must contain the key authorization. Rejects with CaError `connection`, `dns`, `tls` or
 * `incorrect_response`. Their messages quote the requested address, but nothing from responses.
 */
export async function validateHttp01(
  name: string,
  proof: Proof,
  network: ValidationNetwork,
  signal: AbortSignal,
): Promise<void> {
  let location = firstLocation(name, proof.token);
  const visited = new Set([location.url]);
  for (let hop = 0; ; hop++) {
    const next = await fetchHop(network, { location, hop, proof }, signal);
    if (next === undefined) return;
    if (hop === maxRedirects)
      throw new PermanentFailure("connection", `${name} redirects more than ${maxRedirects} times`);
    location = followRedirect(location, { to: next, hop: hop + 1 }, network);
    if (visited.has(location.url))
      throw new PermanentFailure(
        "connection",
        `redirect ${hop + 1} leads back to an earlier location`,
      );
    visited.add(location.url);
  }
}

interface Hop {
  readonly location: Location;
  readonly hop: number;
  readonly proof: Proof;
}
/**
 * Requests a location. Returns the target of a redirect, or undefined if the response contains the
 * proof.
 */
async function fetchHop(
  network: ValidationNetwork,
  { location, hop, proof }: Hop,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { host: name, port: specified } = location;
  const port = dialledPort(specified, network);
  const { connection, address } = await connectTo(network, { name, port, hop }, signal);
  const where = hop === 0 ? `${name} at ${address} port ${port}` : namedAs({ name, hop });
  const limit = deadlineOf(network, signal);
  const soon = limit.signal;
  try {
    limit.within(headLimit);
    const answer = await fetched(network, { connection, location, where, soon });
    const [to, ...more] = redirects.has(answer.status)
      ? (answer.headers.get("location") ?? [])
      : [];
    if (to !== undefined && more.length === 0) return to;
    limit.within(bodyLimit);
    await checkBody(answer, { where, proof, soon });
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    limit.off();
    connection.close();
  }
}

/**
 * Returns the port to connect to for a port in a URL: ports 80 and 443 are replaced by the
 * configured ports.
 */
const dialledPort = (port: number, { httpPort, tlsPort }: ValidationNetwork): number =>
  port === 80 ? httpPort : port === 443 ? tlsPort : port;

interface Fetching {
  readonly connection: Connection;
  readonly location: Location;
  readonly where: string;
  readonly soon: AbortSignal;
}
async function fetched(network: ValidationNetwork, on: Fetching): Promise<HttpResponse> {
  const { location, where, soon } = on;
  const stream = location.secure ? await secured(network, on) : on.connection;
  try {
    return await exchange(
      stream,
      {
        method: "GET",
        target: location.target,
        host: location.hostHeader,
        headers: { "User-Agent": "sealwright-acme-validation", Accept: "*/*" },
      },
      soon,
    );
  } catch (error) {
    throw httpFault(where, soon, error);
  }
}
/** Performs the TLS handshake, and accepts any server certificate (B 5.10, security row 39). */
async function secured(
  network: ValidationNetwork,
  { connection, location, where, soon }: Fetching,
) {
  const { host } = location;
  try {
    return await connectTls(connection, {
      ...(ipToBytes(host) ? {} : { serverName: host }),
      alpn: ["http/1.1"],
      trust: "any",
      random: network.random,
      now: Math.floor(network.now() / 1000),
      signal: soon,
    });
  } catch (error) {
    throw tlsFault(where, soon, error);
  }
}

/** Returns the error for a failed HTTP exchange. Its message quotes nothing from the response. */
function httpFault(where: string, soon: AbortSignal, cause: unknown): CaError {
  if (soon.aborted) return new CaError("connection", `${where} did not respond in time`, { cause });
  if (!(cause instanceof NetError))
    return new CaError("connection", `the connection to ${where} was lost`, { cause });
  return cause.failed === "response"
    ? new CaError("incorrect_response", `the response from ${where} was rejected: ${cause.message}`)
    : new CaError("connection", `${where} did not respond: ${cause.message}`);
}

/**
 * Decodes bytes as Latin-1, which accepts any bytes. A proof is ASCII, so no other body can match
 * it.
 */
const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

async function checkBody(
  answer: HttpResponse,
  { where, proof, soon }: Omit<Fetching, "connection" | "location"> & { readonly proof: Proof },
): Promise<void> {
  const body = await answer.body(maxBodyBytes).catch((error: unknown) => {
    throw faultByStatus(answer.status, httpFault(where, soon, error));
  });
  // `sameText` also rejects a body of a different length
  if (!sameText(latin1(body).trim(), proof.keyAuthorization))
    throw faultByStatus(
      answer.status,
      new CaError(
        "incorrect_response",
        `the response from ${where} is not the expected key authorization`,
      ),
    );
}
/**
 * Returns the error for a wrong response. It is permanent, unless the status says that the server
 * is temporarily unable to respond.
 */
const faultByStatus = (status: number, fault: CaError): CaError =>
  fault.code !== "incorrect_response" || status >= 500 || temporary.has(status)
    ? fault
    : new PermanentFailure(fault.code, fault.message, { cause: fault });
/** Status codes of temporary errors: Request Timeout, Too Early and Too Many Requests. */
const temporary: ReadonlySet<number> = new Set([408, 425, 429]);
