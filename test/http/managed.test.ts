import { createServer } from "node:https";
import { afterEach, beforeEach, expect, it } from "vitest";
import { signingService } from "../../examples/signing-service/service.ts";
import { localKey } from "../../examples/signing-service/signing-key.ts";
import { certificate, listening } from "../net/tls-fixture.ts";
import { keeperKey } from "../support/keepers.ts";
import { startServer, type RunningServer } from "../support/server.ts";
import { apiOf, noteEvents, type Api } from "./api.ts";

let server: RunningServer;
let api: Api;
beforeEach(async () => {
  server = await startServer({ env: { LOG: "json", SEALWRIGHT_TEST_CLOCK: "1" } });
  api = apiOf(server);
});
afterEach(() => server.stop());
noteEvents(() => server);

it("a managed key of an HTTPS signing service signs the root, and CRLs in the renewal job", async () => {
  const lines: string[] = [];
  const keys = new Map([["root", localKey(keeperKey("P-256"))]]);
  const own = await certificate();
  const answer = signingService({ keys, token: "the-token", log: (line) => lines.push(line) });
  const service = createServer({ key: own.key.pem, cert: own.pem }, (request, response) => {
    void answer(request, response);
  });
  try {
    const registered = await api("POST", "sys/managed-keys/https/root", {
      url: `https://127.0.0.1:${await listening(service)}`,
      token: "the-token",
      message_type: "raw",
      trusted_leaf_certificate_bundle: own.pem,
    });
    expect(registered.status).toBe(204);
    await api("POST", "sys/mounts/pki/tune", { allowed_managed_keys: ["root"] });
    await api("POST", "pki/config/crl", { expiry: "20h" });
    const root = { managed_key_name: "root", common_name: "R", ttl: "8760h" };
    expect((await api("POST", "pki/root/generate/kms", root)).status).toBe(200);
    await api("POST", "pki/roles/web", { allow_any_name: true, key_type: "ec" });
    const leaf = await api("POST", "pki/issue/web", { common_name: "a.example", ttl: "1h" });
    expect(leaf.status).toBe(200);
    const serial_number = leaf.data["serial_number"];
    expect((await api("POST", "pki/revoke", { serial_number })).status).toBe(200);
    const before = await api("GET", "pki/cert/crl");
    const asked = lines.length;
    const set = { method: "PUT", body: JSON.stringify({ now: Date.now() + 19 * 3_600_000 }) };
    expect((await fetch(`${server.url}/test/clock`, set)).status).toBe(204);
    expect(lines.length).toBeGreaterThan(asked);
    const after = await api("GET", "pki/cert/crl");
    expect(after.data["certificate"]).not.toBe(before.data["certificate"]);
  } finally {
    service.close().closeAllConnections();
  }
});
