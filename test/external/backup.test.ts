import { afterAll, describe, expect, it } from "vitest";
import { authority, clockAt } from "../support/authority.ts";
import { certificate, now } from "../net/tls-fixture.ts";
import { checked, configured, policyServer, serviceCa } from "./service.ts";

const client = await certificate({ issuer: serviceCa, name: "sealwright" });
const server = await policyServer({
  requestCert: true,
  rejectUnauthorized: true,
  ca: [serviceCa.pem],
});
afterAll(() => server.close());

describe("a backup of a mount with an external policy service", () => {
  it("contains the client's private key, sealed with the passphrase", async () => {
    const passphrase = "correct horse battery";
    const a = await configured(server.ways, {
      vault_client_cert_bundle: `${client.pem}\n${client.key.pem}`,
    });
    const parts: Uint8Array[] = [];
    for await (const part of a.ca.backup("pki", { passphrase })) parts.push(part);
    const other = authority({
      clock: clockAt(now * 1000),
      seed: 9,
      sealingKey: new Uint8Array(32).fill(9),
      ...server.ways,
    });
    await other.sys.deleteMount({ path: "pki" });
    await other.ca.restore("pki", parts, { passphrase });
    expect(await checked(other)).toMatchObject({ valid: true });
  });
});
