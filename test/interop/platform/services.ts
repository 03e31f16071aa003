import { generateKeyPairSync } from "node:crypto";
import { createServer, type ServerOptions } from "node:https";
import { policyService } from "../../../examples/policy-service/service.ts";
import { signingService } from "../../../examples/signing-service/service.ts";
import { localKey } from "../../../examples/signing-service/signing-key.ts";
import { certificate, listening } from "../../net/tls-fixture.ts";

/** The services of the examples on 127.0.0.1, for names below `sdk.test` and `acme.test`. */
export interface Services {
  /** Environment variables for a client: URLs, a token, and the CA of both services in PEM. */
  readonly env: Readonly<
    Record<"POLICY_URL" | "SIGNING_URL" | "SIGNING_TOKEN" | "SERVICES_CA", string>
  >;
  close(): void;
}

/** Starts a policy service, and a signing service with the key `remote`. */
export async function startServices(): Promise<Services> {
  const ca = await certificate({ name: "services CA", ca: true });
  const own = await certificate({ issuer: ca, names: { ip: ["127.0.0.1"] } });
  const tls: ServerOptions = { key: own.key.pem, cert: own.pem };
  const token = "a-token-of-the-signing-service";
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const decide = policyService({ domains: ["sdk.test", "acme.test"], hours: 24 });
  const sign = signingService({ keys: new Map([["remote", localKey(privateKey)]]), token });
  const servers = [decide, sign].map((answer) =>
    createServer(tls, (request, response) => {
      answer(request, response).catch(() => response.destroy());
    }),
  );
  const [policy, signing] = await Promise.all(servers.map(listening));
  return {
    env: {
      POLICY_URL: `https://127.0.0.1:${policy}/`,
      SIGNING_URL: `https://127.0.0.1:${signing}`,
      SIGNING_TOKEN: token,
      SERVICES_CA: ca.pem,
    },
    close: () => servers.forEach((server) => server.close().closeAllConnections()),
  };
}
