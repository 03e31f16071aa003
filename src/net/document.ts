import { concat } from "../base/bytes.ts";
import { ipToBytes } from "../x509/address.ts";
import { unlessAborted } from "./abort.ts";
import {
  demandStatus,
  documentHeaders,
  hostOf,
  judged,
  type Sent,
  type Wanted,
  type Ways,
} from "./document-target.ts";
import { NetError } from "./failure.ts";
import { TlsError } from "./tls-error.ts";

export type { Wanted, Ways } from "./document-target.ts";

/** Characters of a URL. */
const longestUrl = 2000;

/** What keeps a text from being the URL of a document; undefined where nothing does. */
export function urlFault(text: string): string | undefined {
  if (text.length > longestUrl) return `is longer than ${longestUrl} characters`;
  const url = URL.canParse(text) && /^[!-~]+$/.test(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:") return "must be an https URL";
  if (url.username !== "" || url.password !== "") return "must not have a user name or password";
  return text.includes("#") ? "must not have a fragment" : undefined;
}

/**
 * Sends a document by HTTPS as {@link readDocument} reads one, with POST, and resolves when the
 * server has taken it: with a status from 200 to 299.
 */
export async function sendDocument(
  ways: Ways,
  to: Omit<Wanted, "most" | "sent">,
  sent: Sent,
): Promise<void> {
  await readDocument(ways, { ...to, most: 0, sent });
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
    if (wanted.roots.length === 0) return await byPlatform(ways, wanted, soon);
    if (!ways.dial) throw new NetError("connection", "nothing here can be connected to");
    // loaded where something is dialled only: a page has no way to
    const { dialDocument } = await import("./document-dialled.ts");
    return await dialDocument(ways, wanted, soon);
  } catch (error) {
    if (soon.aborted) throw new NetError("connection", "the server takes too long");
    if (error instanceof NetError) throw error;
    const why = error instanceof TlsError ? `the TLS handshake failed: ${error.message}` : broken;
    throw new NetError("connection", why, { cause: error });
  }
}
const broken = "the connection cannot be made, or broke";

/**
 * The platform dials by itself, so all addresses of the name must be ones that may be asked; one
 * that changes in between still has to show a certificate for that name that is publicly trusted.
 */
async function byPlatform(
  ways: Ways,
  { url: text, privateNetworks, most, sent }: Wanted,
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
    ways.fetch(text, {
      headers: { ...documentHeaders, ...sent?.headers },
      redirect: "manual",
      signal,
      ...(sent ? { method: "POST", body: sent.body } : {}),
    }),
    signal,
  );
  if (sent || answer.type === "opaqueredirect" || answer.status !== 200) {
    void answer.body?.cancel().catch(() => undefined);
    demandStatus(answer.type === "opaqueredirect" ? 302 : answer.status, sent);
    return new Uint8Array();
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
