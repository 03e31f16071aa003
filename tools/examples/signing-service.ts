import { fromBase64, toBase64 } from "../../src/base/bytes.ts";
import type { CaOptions } from "../../src/index.ts";

/** Returns the `fetch` function of a signing service with one key. */
export async function signingService(): Promise<NonNullable<CaOptions["fetch"]>> {
  const kind = { name: "ECDSA", namedCurve: "P-256" };
  const pair = await crypto.subtle.generateKey(kind, true, ["sign", "verify"]);
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey));
  return async (url, init) => {
    if (!url.endsWith("/sign")) return Response.json({ public_key: toBase64(spki) });
    const { data } = (await new Response(init.body as BodyInit).json()) as {
      readonly data: string;
    };
    const signature = await crypto.subtle.sign(
      { name: "ECDSA", hash: "SHA-256" },
      pair.privateKey,
      fromBase64(data) ?? new Uint8Array(0),
    );
    return Response.json({ encoding: "raw", signature: toBase64(new Uint8Array(signature)) });
  };
}
