import { createServer, type Server } from "node:https";
import type { CaOptions } from "../../../src/index.ts";
import { certificate, dial, listening, now } from "../../net/tls-fixture.ts";
import type { TokenSigner } from "./signer.ts";

/** A time at which the fixture's certificates are valid, Unix milliseconds. */
export const fixtureNow = now * 1000;

/** A key server over TLS, and the ports that reach it. */
export interface KeyServer {
  /** PEM of the CA of its certificate. */
  readonly ca: string;
  /** The signers whose keys it serves. */
  signers: readonly TokenSigner[];
  /** Requested paths. */
  readonly asked: string[];
  /** Overrides the response; undefined selects the default response of the path. */
  answer:
    | ((path: string) => { readonly status: number; readonly body: string } | undefined)
    | undefined;
  readonly ways: Pick<CaOptions, "dial" | "resolve">;
  close(): void;
}
/** Starts a server with the name `keys.example` and a private address. */
export async function keyServer(...signers: readonly TokenSigner[]): Promise<KeyServer> {
  const ca = await certificate({ name: "private CA", ca: true });
  const own = await certificate({ issuer: ca, names: { dns: ["keys.example"] } });
  const server: Server = createServer(
    { key: own.key.pem, cert: own.pem },
    ({ url = "" }, reply) => {
      state.asked.push(url);
      const keys = { keys: state.signers.map(({ jwk }) => jwk) };
      const document = {
        issuer: "https://keys.example",
        jwks_uri: "https://keys.example/jwks",
        authorization_endpoint: "https://keys.example/authorize",
        token_endpoint: "https://keys.example/token",
        userinfo_endpoint: "https://keys.example/userinfo",
      };
      const told = url.startsWith("/.well-known/") ? document : keys;
      const { status, body } = state.answer?.(url) ?? { status: 200, body: JSON.stringify(told) };
      reply.writeHead(status, { Location: "https://keys.example/elsewhere" }).end(body);
    },
  );
  const port = await listening(server);
  const state: KeyServer = {
    ca: ca.pem,
    signers,
    asked: [],
    answer: undefined,
    ways: {
      dial: () => dial(port),
      resolve: async ({ type }) => (type === "A" ? ["10.1.2.3"] : []),
    },
    close: () => server.close().closeAllConnections(),
  };
  return state;
}
