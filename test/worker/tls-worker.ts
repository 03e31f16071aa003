import { DurableObject } from "cloudflare:workers";
import { dial } from "../../worker/dial.ts";
import { fromBase64, toBase64, utf8 } from "../../src/base/bytes.ts";
import { connectTls, type TlsIdentity } from "../../src/net/tls.ts";

/** Returns the TLS identity from a certificate and a PKCS#8 key, both base64. */
async function identityOf(query: URLSearchParams): Promise<TlsIdentity | undefined> {
  const [der, pkcs8] = [query.get("chain"), query.get("key")].map((text) => fromBase64(text ?? ""));
  if (!der?.length || !pkcs8) return undefined;
  const curve = { name: "ECDSA", namedCurve: "P-521" };
  return {
    chain: [der],
    key: await crypto.subtle.importKey("pkcs8", pkcs8, curve, false, ["sign"]),
  };
}

/** Connects with TLS as the query says, sends a number of bytes and returns the outcome. */
async function talk(query: URLSearchParams): Promise<unknown> {
  const signal = AbortSignal.timeout(20_000);
  const connection = await dial({ address: "127.0.0.1", port: Number(query.get("port")) }, signal);
  const identity = await identityOf(query);
  const root = fromBase64(query.get("root") ?? "");
  try {
    const { version, alpn, chain, readable, writable, close } = await connectTls(connection, {
      serverName: "peer.example",
      alpn: ["acme-tls/1"],
      trust: root?.length ? { roots: [root] } : "any",
      random: (size) => crypto.getRandomValues(new Uint8Array(size)),
      now: Math.floor(Date.now() / 1000),
      signal,
      ...(identity && { identity }),
    });
    const sent = utf8("x".repeat(Number(query.get("size"))));
    const writing = (async () => {
      const writer = writable.getWriter();
      await writer.write(sent);
      await writer.close();
    })();
    let read = 0;
    for await (const part of readable) read += part.length;
    await writing;
    close();
    return { version, alpn, leaf: toBase64(chain[0] ?? new Uint8Array()), read };
  } catch (error) {
    const { name, message, kind, alert } = error as Error & { kind?: string; alert?: string };
    return { name, message, kind, alert };
  }
}

/** Required by the launcher. */
export class MountObject extends DurableObject<unknown> {}

export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json(await talk(new URL(request.url).searchParams));
  },
};
