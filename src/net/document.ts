import { concat } from "../base/bytes.ts";
import { within } from "../base/within.ts";
import type { Connection, Ports } from "../engine/ports.ts";
import { ipToBytes } from "../x509/address.ts";
import { unlessAborted } from "./abort.ts";
import { because, NetError } from "./failure.ts";
import { exchange } from "./http.ts";
import { targetRefusal } from "./target.ts";
import { TlsError } from "./tls-error.ts";
import { connectTls } from "./tls.ts";

/** The ways out that a document is read by. */
export type Ways = Pick<Ports, "dial" | "resolve" | "fetch" | "random" | "now">;
/** A document of another server, and how far it is trusted. */
export interface Wanted {
  /** One that {@link urlFault} finds nothing wrong with. */
  readonly url: string;
  /**
   * Certificates, DER, one of which the server's chain leads to: such a server may have a private
   * address. None: the roots of the platform decide.
   */
  readonly roots: readonly Uint8Array[];
  /** Whether a server that the platform's roots vouch for may have a private address too. */
  readonly privateNetworks: boolean;
  /** Bytes that it may have. */
  readonly most: number;
  /** Milliseconds that all of it may take. */
  readonly limit: number;
}

/** Characters of a URL. */
const longestUrl = 2000;
/** Addresses that are tried, and milliseconds for one of them to accept a connection. */
const [mostTried, dialLimit] = [4, 4000];

/** What keeps a text from being the URL of a document; undefined where nothing does. */
export function urlFault(text: string): string | undefined {
  if (text.length > longestUrl) return `is longer than ${longestUrl} characters`;
  const url = URL.canParse(text) && /^[!-~]+$/.test(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:") return "must be an https URL";
  if (url.username !== "" || url.password !== "") return "must not have a user name or password";
  return text.includes("#") ? "must not have a fragment" : undefined;
}

/**
 * Reads a document by HTTPS. The address that is judged is the address that is dialled, and nothing
 * is sent before the server has shown a certificate that is trusted; a redirect is not followed
 * (security rows 35 to 38). Without roots of its own the platform asks, where it can. Rejects with
 * `NetError`, whose text quotes nothing that was received.
 */
export async function readDocument(ways: Ways, wanted: Wanted): Promise<Uint8Array> {
  const soon = AbortSignal.timeout(wanted.limit);
  try {
    return await (wanted.roots.length > 0 ? byOwn : byPlatform)(ways, wanted, soon);
  } catch (error) {
    if (soon.aborted) throw new NetError("connection", "the server takes too long");
    if (error instanceof NetError) throw error;
    const why = error instanceof TlsError ? `the TLS handshake failed: ${error.message}` : broken;
    throw new NetError("connection", why, { cause: error });
  }
}
const broken = "the connection cannot be made, or broke";

async function byOwn(
  ways: Ways,
  { url: text, roots, most }: Wanted,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const url = new URL(text);
  const host = hostOf(url);
  const { permitted } = await judged(ways, host, { privateNetworks: true, signal });
  const connection = await dialled(ways, url, permitted, signal);
  try {
    const tls = await connectTls(connection, {
      ...(ipToBytes(host) ? { address: host } : { serverName: host }),
      alpn: ["http/1.1"],
      trust: { roots },
      random: (bytes) => ways.random(bytes),
      now: Math.floor(ways.now() / 1000),
      signal,
    });
    const target = `${url.pathname}${url.search}`;
    const answer = await exchange(
      tls,
      { method: "GET", target, host: url.host, headers: asked },
      signal,
    );
    demandStatus(answer.status);
    return await answer.body(most);
  } finally {
    connection.close();
  }
}
const asked = { Accept: "application/json", "User-Agent": "sealwright" };
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1");

function demandStatus(status: number): void {
  if (status >= 300 && status < 400)
    throw new NetError("response", "the server redirects, which is not followed");
  if (status !== 200) throw new NetError("response", `the server answers with status ${status}`);
}

/** The addresses of a host that may be asked. Rejects where none may. */
async function judged(
  ways: Ways,
  host: string,
  { privateNetworks, signal }: { readonly privateNetworks: boolean; readonly signal: AbortSignal },
): Promise<{ readonly permitted: readonly string[]; readonly refused: readonly string[] }> {
  const addresses = ipToBytes(host) ? [host] : await addressesOf(ways, host, signal);
  const rules = { permitted: [], excluded: [], privateNetworks };
  const verdicts = addresses
    .slice(0, 32)
    .map((address) => ({ address, refusal: targetRefusal(address, rules) }));
  const permitted = verdicts.filter(({ refusal }) => !refusal).map(({ address }) => address);
  const refused = verdicts.flatMap(({ refusal }) =>
    refusal ? [`${refusal.address} ${refusal.reason} and is not asked`] : [],
  );
  if (permitted.length === 0) throw new NetError("connection", refused[0] ?? "no address is known");
  return { permitted, refused };
}

async function addressesOf(
  ways: Ways,
  name: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const resolve = ways.resolve?.bind(ways);
  if (!resolve) throw new NetError("dns", "nothing here can resolve the name of the server");
  const answers = await Promise.allSettled(
    (["AAAA", "A"] as const).map((type) => unlessAborted(resolve({ name, type }, signal), signal)),
  );
  signal.throwIfAborted();
  const found = answers.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  if (found.length > 0) return found;
  const failed = answers.find((one) => one.status === "rejected");
  throw new NetError(
    "dns",
    failed
      ? `the DNS gave no answer for the name of the server${because(failed.reason)}`
      : "the DNS has no address of the server",
  );
}

async function dialled(
  ways: Ways,
  { port }: URL,
  permitted: readonly string[],
  signal: AbortSignal,
): Promise<Connection> {
  if (!ways.dial) throw new NetError("connection", "nothing here can be connected to");
  for (const address of permitted.slice(0, mostTried)) {
    const late = new AbortController();
    const to = { address, port: port === "" ? 443 : Number(port) };
    const dialling = ways.dial(to, AbortSignal.any([signal, late.signal])).catch(() => undefined);
    const connection = await within(unlessAborted(dialling, signal), dialLimit, () => {
      late.abort();
      return undefined;
    });
    if (connection) return connection;
  }
  throw new NetError("connection", "the server cannot be connected to");
}

/**
 * The platform dials by itself, so all addresses of the name must be ones that may be asked; one
 * that changes in between still has to show a certificate for that name that is publicly trusted.
 */
async function byPlatform(
  ways: Ways,
  { url: text, privateNetworks, most }: Wanted,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (!ways.fetch)
    throw new NetError("connection", "nothing here knows which servers the public trusts");
  const host = hostOf(new URL(text));
  if (ways.resolve || ipToBytes(host)) {
    const { refused } = await judged(ways, host, { privateNetworks, signal });
    if (refused[0] !== undefined) throw new NetError("connection", refused[0]);
  }
  const answer = await unlessAborted(
    ways.fetch(text, { headers: asked, redirect: "manual", signal }),
    signal,
  );
  if (answer.type === "opaqueredirect" || answer.status !== 200) {
    void answer.body?.cancel().catch(() => undefined);
    demandStatus(answer.type === "opaqueredirect" ? 302 : answer.status);
  }
  return await bodyOf(answer, most, signal);
}

async function bodyOf(answer: Response, most: number, signal: AbortSignal): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = answer.body?.getReader();
  for (;;) {
    const { value } = (await (reader && unlessAborted(reader.read(), signal))) ?? {};
    if (!value) return concat(parts);
    size += value.length;
    if (size > most) {
      void reader?.cancel().catch(() => undefined);
      throw new NetError("response", `the answer is longer than ${most} bytes`);
    }
    parts.push(value);
  }
}
