import { createHmac, createPrivateKey, createPublicKey } from "node:crypto";
import { json64, jwsOf, keyOf, newKey, type AcmeKey } from "../../acme/key.ts";
import { memberAt, type Ask, type Json, type Reply } from "./ask.ts";

/** A key and the URL of its account, as recorded. */
export interface AcmeAccount {
  readonly key: Json;
  readonly kid: string;
}
/** A client of one directory with one account. */
export interface AcmeClient {
  /** Registers the account; `binding`: an external account key. */
  register(
    contact: readonly string[],
    binding?: { readonly id: string; readonly key: string },
  ): Promise<Reply>;
  /** Signs and sends; without a payload as POST-as-GET. */
  post(url: string, payload?: Json): Promise<Reply>;
  keyAuthorization(token: string): string;
  account(): AcmeAccount;
}

/** Returns a client of a directory; `address`: prefix of its URLs. */
export function acmeClient(
  ask: Ask,
  { address, directory }: { readonly address: string; readonly directory: string },
  known?: AcmeAccount,
): AcmeClient {
  const key = known ? keyFrom(known.key) : newKey();
  let kid = known?.kid ?? "";
  const send = async (url: string, payload: unknown, who: Json): Promise<Reply> => {
    const nonce = await ask("GET", `${directory}/new-nonce`, { token: "" });
    const head = { alg: key.alg, ...who, nonce: nonce.headers.get("replay-nonce"), url };
    const jws = jwsOf(key, head, payload);
    const headers = { "content-type": "application/jose+json" };
    return ask("POST", url.slice(address.length), {
      body: JSON.stringify(jws),
      token: "",
      headers,
    });
  };
  return {
    async register(contact, binding) {
      const url = `${address}/v1/${directory}/new-account`;
      const externalAccountBinding = binding && bound(key, binding, url);
      const payload = { contact, termsOfServiceAgreed: true, externalAccountBinding };
      const reply = await send(url, payload, { jwk: key.jwk });
      kid = reply.headers.get("location") ?? "";
      return reply;
    },
    post: (url, payload) => send(url, payload, { kid }),
    keyAuthorization: (token) => `${token}.${key.thumbprint}`,
    account: () => ({ key: key.key.export({ format: "jwk" }) as Json, kid }),
  };
}

function keyFrom(jwk: Json): AcmeKey {
  const key = createPrivateKey({ key: jwk, format: "jwk" });
  return keyOf("ES256", key, createPublicKey(key));
}
function bound(
  key: AcmeKey,
  binding: { readonly id: string; readonly key: string },
  url: string,
): Json {
  const head = json64({ alg: "HS256", kid: binding.id, url });
  const payload = json64(key.jwk);
  const mac = createHmac("sha256", Buffer.from(binding.key, "base64url"));
  const signature = mac.update(`${head}.${payload}`).digest("base64url");
  return { protected: head, payload, signature };
}

/** Returns the URL at a path of an ACME document. */
export const urlAt = (reply: Reply, path: string): string => String(memberAt(reply.json, path));
