import type { Peer } from "../src/index.ts";
import { fromBase64 } from "../src/base/bytes.ts";

/**
 * Returns the peer of a request from trusted sources: the platform's metadata, which callers cannot
 * forge, or else the header that the deployed platform sets. A self-hosted `workerd` reports the
 * address of the connection; there, callers could forge the header. Certificates are never read
 * from a header (security row 53).
 */
export const peerOf = (request: Request): Peer => ({
  // read lazily, because each access costs as much as reading a header
  get address() {
    const about = membersOf(request);
    if (about && "clientIp" in about) return hostIn(about["clientIp"]);
    const address = about?.["clientAddress"] ?? (about && request.headers.get("cf-connecting-ip"));
    return typeof address === "string" ? address : undefined;
  },
  get tlsChain() {
    return chainIn(membersOf(request)?.["tlsClientAuth"]);
  },
});

/**
 * Returns the IP address in text such as `192.0.2.1:4711` or `[2001:db8::1]:4711`, or undefined for
 * anything else.
 */
const hostIn = (text: unknown): string | undefined =>
  typeof text === "string" ? /^\[?([0-9A-Fa-f:.]+)\]?:[0-9]+$/.exec(text)?.[1] : undefined;

type Members = Readonly<Record<string, unknown>>;
const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null;
/** Returns the platform's metadata of a request, if any. */
function membersOf(request: Request): Members | undefined {
  const about: unknown = "cf" in request ? request.cf : undefined;
  return isMembers(about) ? about : undefined;
}

/**
 * Returns the client certificates that the platform reports (RFC 9440), but only if it has verified
 * them, because it also reports unverified ones.
 */
function chainIn(about: unknown): Peer["tlsChain"] {
  if (!isMembers(about)) return undefined;
  const { certPresented, certVerified, certRevoked, certRFC9440, certChainRFC9440 } = about;
  if (certPresented !== "1" || certVerified !== "SUCCESS" || certRevoked !== "0") return [];
  const [own, ...more] = byteSequences(certRFC9440);
  return own && more.length === 0 ? [own, ...byteSequences(certChainRFC9440)] : [];
}
/**
 * Parses a list of byte sequences (RFC 8941 section 3.3.5). Returns none if the list is malformed.
 */
function byteSequences(text: unknown): readonly Uint8Array[] {
  if (typeof text !== "string" || text === "") return [];
  const all = text.split(",").map((one) => {
    const [, base64] = /^ *:([A-Za-z0-9+/=]+): *$/.exec(one) ?? [];
    return base64 === undefined ? undefined : fromBase64(base64);
  });
  return all.every((one) => one !== undefined) ? all : [];
}
