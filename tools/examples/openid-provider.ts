import type { CaOptions } from "../../src/index.ts";

/**
 * An OpenID provider at `https://idp.example.com`, which is reached through its `fetch` function.
 */
export interface ExampleProvider {
  readonly issuer: string;
  readonly fetch: NonNullable<CaOptions["fetch"]>;
  /** Logs a user in at an authorization URL, and returns the authorization code. */
  authorize(url: string): string;
}

const base64Url = (bytes: ArrayBuffer | string): string =>
  (typeof bytes === "string" ? Buffer.from(bytes) : Buffer.from(bytes)).toString("base64url");

/** Returns a provider that issues its tokens at the time `now` (Unix seconds). */
export async function openIdProvider(now: number): Promise<ExampleProvider> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const jwk = await crypto.subtle.exportKey("jwk", pair.publicKey);
  const issuer = "https://idp.example.com";
  let nonce = "";
  const idToken = async (): Promise<string> => {
    const claims = {
      iss: issuer,
      aud: "sealwright",
      sub: "ann",
      groups: ["pki"],
      nonce,
      iat: now,
      exp: now + 600,
    };
    const text = `${base64Url(JSON.stringify({ alg: "ES256", kid: "1" }))}.${base64Url(JSON.stringify(claims))}`;
    const signature = await crypto.subtle.sign(algorithm, pair.privateKey, Buffer.from(text));
    return `${text}.${base64Url(signature)}`;
  };
  const documents: Readonly<Record<string, () => unknown>> = {
    "/.well-known/openid-configuration": () => ({
      issuer,
      jwks_uri: `${issuer}/jwks`,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
    }),
    "/jwks": () => ({ keys: [{ ...jwk, kid: "1" }] }),
    "/token": async () => ({ id_token: await idToken(), token_type: "Bearer" }),
  };
  return {
    issuer,
    fetch: async (url) => {
      const document = await documents[new URL(url).pathname]?.();
      return document === undefined ? new Response(null, { status: 404 }) : Response.json(document);
    },
    authorize(url) {
      nonce = new URL(url).searchParams.get("nonce") ?? "";
      return "Xa2f6pGq0cT3";
    },
  };
}
