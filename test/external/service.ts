import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server, type ServerOptions } from "node:https";
import type { CaOptions, Connection } from "../../src/index.ts";
import { authority, clockAt, type Authority } from "../support/authority.ts";
import { certificate, dial, listening, now, type Certified } from "../net/tls-fixture.ts";

/** CA of the service, its certificate, and a certificate that can serve as a template. */
export const serviceCa = await certificate({ name: "CA of the service", ca: true });
export const serviceLeaf = await certificate({
  issuer: serviceCa,
  names: { dns: ["policy.example"] },
});
export const template = await certificate({ name: "template", names: { dns: ["a.example"] } });
export const url = "https://policy.example/decide?by=rules";

/** The policy request as a service parses it. */
export type Asked = Readonly<Record<string, unknown>> & { readonly request_uuid: string };
/** Handles a request to a service. */
export type Behavior = (asked: Asked, response: ServerResponse, request: IncomingMessage) => void;

/** Returns a response that approves the template. */
export const yes = ({ request_uuid }: Asked, more: object = {}) => ({
  request_uuid,
  certificate: template.pem,
  issuer_ref: "default",
  store_certificate: true,
  ...more,
});
export const answering =
  (answer: (asked: Asked) => unknown): Behavior =>
  (asked, response) =>
    void response.end(JSON.stringify(answer(asked)));

/** A service over HTTPS with the name `policy.example`. */
export interface PolicyServer {
  behavior: Behavior;
  /** The requests, as parsed. */
  readonly asked: Asked[];
  readonly dialled: string[];
  /** Number of TLS connections. */
  handshakes: number;
  readonly ways: {
    dial(to?: { readonly address: string; readonly port: number }): Promise<Connection>;
    readonly resolve: NonNullable<CaOptions["resolve"]>;
  };
  close(): void;
}
export async function policyServer(
  options: ServerOptions & { readonly own?: Certified } = {},
): Promise<PolicyServer> {
  const { own = serviceLeaf, ...tls } = options;
  const server: Server = createServer({ key: own.key.pem, cert: own.pem, ...tls });
  const port = await listening(server);
  const state: PolicyServer = {
    behavior: answering(yes),
    asked: [],
    dialled: [],
    handshakes: 0,
    ways: {
      dial: async (to) => {
        state.dialled.push(`${to?.address} ${to?.port}`);
        return await dial(port);
      },
      resolve: async ({ type }) => (type === "A" ? ["93.184.216.34"] : []),
    },
    close: () => server.close().closeAllConnections(),
  };
  server.on("secureConnection", () => void state.handshakes++);
  server.on("tlsClientError", () => undefined);
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    void (async () => {
      let body = "";
      for await (const part of request) body += String(part);
      const asked = JSON.parse(body) as Asked;
      state.asked.push(asked);
      state.behavior(asked, response, request);
    })();
  });
  return state;
}

/** Creates an authority at the fixtures' time whose mount `pki` has a policy service. */
export async function configured(
  ports: Partial<Parameters<typeof authority>[0]>,
  config: object = {},
): Promise<Authority> {
  const a = authority({ clock: clockAt(now * 1000), ...ports });
  await a.root();
  const written = await a.call("POST", "pki/config/external-policy", {
    enabled: true,
    external_service_url: url,
    trusted_ca: serviceCa.pem,
    ...config,
  });
  if (written.status !== 200) throw new Error(written.text);
  return a;
}
/** Returns the result of a check. */
export const checked = async (a: Authority) =>
  (await a.call("POST", "pki/config/external-policy/check", {})).data;
