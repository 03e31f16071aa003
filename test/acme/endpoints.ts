import { acme } from "../../src/endpoints/all.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { expandPatterns } from "../../src/wire/route-patterns.ts";
import { type AcmeAuthority, type AcmeClient, clusterPath } from "./client.ts";

/**
 * An endpoint that accepts a JWS. The endpoints are taken from the table and tested one by one, so
 * that a new one must meet the same requirements.
 */
export interface Signed {
  readonly id: string;
  /** Suffix of its first path, without the method and the directory. */
  readonly suffix: string;
  /** Whether it accepts `kid`, and whether it accepts `jwk`. */
  readonly kid: boolean;
  readonly jwk: boolean;
}
/** All ACME endpoints. */
export const all: readonly AnyEndpoint[] = acme;
/** The endpoints that accept a JWS. */
export const endpoints: readonly Signed[] = all
  .filter(({ style }) => style.whole === "jws")
  .flatMap((endpoint) => {
    const { id } = endpoint;
    const key = "key" in endpoint ? endpoint.key : undefined;
    const [method, path = ""] = expandPatterns(endpoint)[0] ?? [];
    return method === "POST"
      ? [
          {
            id,
            suffix: path.replace("/acme", "").replaceAll(/:\w+/g, "anything"),
            kid: key !== "jwk",
            jwk: key !== "kid",
          },
        ]
      : [];
  });
/** Stores an account directly, so that no test depends on registration. */
export async function seeded(
  a: AcmeAuthority,
  row: Readonly<Record<string, unknown>> = {},
  at = "acme",
): Promise<AcmeClient> {
  const client = a.client({ at });
  const { jwk, thumbprint } = client.key;
  const value = {
    jwk,
    thumbprint,
    status: "valid",
    contact: [],
    directory: at,
    created: 1,
    ...row,
  };
  const id = `seeded-${thumbprint.slice(0, 8)}`;
  await a.stores(await a.uuid()).commit({
    put: [
      [`account/${id}`, value],
      [`thumb/${thumbprint}`, { account: id }],
    ],
  });
  client.kid = `${clusterPath}/${at}/account/${id}`;
  return client;
}
