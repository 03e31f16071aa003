import { createServer } from "node:https";
import { setTimeout } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { encodePem } from "../../src/base/pem.ts";
import { freshSerial, plainCsr, templateFor } from "../external/deciding.ts";
import { certificate, listening } from "../net/tls-fixture.ts";
import { start } from "../support/authority.ts";
import { startServer, temporaryDirectory, type RunningServer } from "../support/server.ts";
import { apiOf, makeAuthority } from "./api.ts";

const own = await certificate({ name: "policy service" });
/** Called at the next request to the service, which responds when the promise resolves. */
let asked: () => Promise<void> | void = () => undefined;
let serial = freshSerial();
let questions = 0;
const service = createServer({ key: own.key.pem, cert: own.pem }, (request, response) => {
  void (async () => {
    questions++;
    let body = "";
    for await (const part of request) body += String(part);
    const { request_uuid, user_request_key_values: sent } = JSON.parse(body) as {
      readonly request_uuid: string;
      readonly user_request_key_values: { readonly csr: string };
    };
    const from = Date.now() / 1000 - start / 1000;
    const times = { from: Math.floor(from) - 60, until: Math.floor(from) + 3600 };
    const der = await templateFor(sent.csr, { serial, ...times });
    await asked();
    response.end(
      JSON.stringify({
        request_uuid,
        certificate: encodePem("CERTIFICATE", der),
        issuer_ref: "default",
        store_certificate: true,
      }),
    );
  })();
});
const dataDir = temporaryDirectory();
let end = async (): Promise<void> => {};
afterAll(async () => {
  await end();
  service.close().closeAllConnections();
});

/** Milliseconds between the service's response and the kill; undefined: killed before it. */
const rounds = [undefined, 0, 1, 2, 4, 8, 16] as const;

it("kill -9 between the response of the policy service and the commit: the certificate is stored completely or not at all", async () => {
  const port = await listening(service);
  let server: RunningServer | undefined;
  for (const [round, wait] of rounds.entries()) {
    server ??= await startServer({ dataDir });
    const running: RunningServer = server;
    end = () => running.kill9();
    const api = apiOf(running);
    if (round === 0) {
      await makeAuthority(api);
      const configured = await api("POST", "pki/config/external-policy", {
        enabled: true,
        external_service_url: `https://127.0.0.1:${port}/`,
        trusted_leaf_certificate_bundle: own.pem,
      });
      expect(configured.status, configured.text).toBeLessThan(300);
    }
    serial = freshSerial();
    questions = 0;
    const csr = await plainCsr();
    let killed = Promise.resolve();
    asked = () => {
      killed = (wait === undefined ? Promise.resolve() : setTimeout(wait)).then(running.kill9);
      return wait === undefined ? killed : undefined;
    };
    const answer = await api("POST", "pki/external-policy/sign", { csr }).catch(() => undefined);
    await killed;
    const acknowledged = answer?.status === 200;

    server = await startServer({ dataDir });
    const again = apiOf(server);
    const text = Buffer.from(serial)
      .toString("hex")
      .replace(/..(?!$)/g, "$&:");
    const read = await again("GET", `pki/cert/${text}`);
    const isThere = read.status === 200;
    if (acknowledged) expect(read.data["certificate"]).toBe(answer.data["certificate"]);
    expect([200, 404]).toContain(read.status);
    asked = () => undefined;
    const repeated = await again("POST", "pki/external-policy/sign", { csr });
    expect(repeated.status, repeated.text).toBe(isThere ? 400 : 200);
    expect(questions).toBe(2);
  }
  const last = server;
  end = async () => void (await last?.stop());
});
