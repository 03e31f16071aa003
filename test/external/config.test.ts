import { afterAll, describe, expect, it } from "vitest";
import { memoryStore, sealedVault } from "../../src/index.ts";
import { authority, clockAt } from "../support/authority.ts";
import { certificate, now } from "../net/tls-fixture.ts";
import { checked, configured, policyServer, serviceCa, serviceLeaf, url } from "./service.ts";

const path = "pki/config/external-policy";
const client = await certificate({ issuer: serviceCa, name: "sealwright" });
const stranger = await certificate({ name: "stranger" });
const server = await policyServer();
afterAll(() => server.close());

describe("the configuration of external policy", () => {
  it("(readExternalPolicy) has the documented defaults before it is written (B 7.1)", async () => {
    const a = authority();
    expect((await a.call("GET", path)).data).toEqual({
      enabled: false,
      external_service_url: "",
      service: "",
      timeout: 15_000_000_000,
      trusted_ca: "",
      trusted_leaf_certificate_bundle: "",
      vault_client_cert_bundle: "",
      entity_jmespath: "",
      group_jmespath: "",
      allow_private_network: false,
      external_service_last_updated: "0001-01-01T00:00:00Z",
      external_service_validated: false,
      last_successful_request: "",
      last_failed_request: "",
      last_failure: "",
    });
  });

  it("(writeExternalPolicy) is returned as written, except for the client's private key", async () => {
    const a = authority({ clock: clockAt(now * 1000) });
    const written = await a.call("POST", path, {
      enabled: true,
      external_service_url: url,
      timeout: "20s",
      trusted_ca: serviceCa.pem,
      trusted_leaf_certificate_bundle: serviceLeaf.pem,
      vault_client_cert_bundle: `${client.key.pem}\n${client.pem}`,
      entity_jmespath: "metadata",
      group_jmespath: "[*].name",
      allow_private_network: true,
    });
    expect(written.data).toMatchObject({
      enabled: true,
      external_service_url: url,
      timeout: 20_000_000_000,
      trusted_ca: serviceCa.pem,
      trusted_leaf_certificate_bundle: serviceLeaf.pem,
      vault_client_cert_bundle: `${client.pem}\n`,
      entity_jmespath: "metadata",
      group_jmespath: "[*].name",
      allow_private_network: true,
      external_service_last_updated: new Date(now * 1000).toISOString().replace(".000", ""),
    });
    expect((await a.call("GET", path)).data).toEqual(written.data);
    // a configuration without the key, as read back, leaves the key unchanged
    const again = await a.call("POST", path, { ...written.data, timeout: "20s" });
    expect(again.status).toBe(200);
    const other = await a.call("POST", path, { vault_client_cert_bundle: stranger.pem });
    expect(other.errors).toEqual(["vault_client_cert_bundle has no private key"]);
    const gone = await a.call("POST", path, { vault_client_cert_bundle: "" });
    expect(gone.data).toMatchObject({ vault_client_cert_bundle: "", timeout: 20_000_000_000 });
  });

  const whole = { external_service_url: url, trusted_ca: serviceCa.pem };
  it.each([
    [{ enabled: true }, "enabled requires external_service_url or service"],
    [
      { external_service_url: url },
      "external_service_url requires trusted_ca or trusted_leaf_certificate_bundle",
    ],
    [{ ...whole, external_service_url: "http://policy.example" }, "must be an https URL"],
    [{ ...whole, external_service_url: "https://a:b@policy.example" }, "user name or password"],
    [{ ...whole, timeout: "0s" }, "timeout must be between 1 and 60 seconds"],
    [{ ...whole, timeout: "2m" }, "timeout must be between 1 and 60 seconds"],
    [{ ...whole, trusted_ca: "certificate" }, "trusted_ca has no certificate"],
    [
      { ...whole, trusted_ca: serviceLeaf.pem },
      "trusted_ca contains a certificate that is not a CA certificate",
    ],
    [{ ...whole, trusted_ca: client.key.pem }, "trusted_ca contains a PRIVATE KEY"],
    [{ ...whole, trusted_leaf_certificate_bundle: serviceCa.pem }, "contains a CA certificate"],
    [{ ...whole, vault_client_cert_bundle: client.key.pem }, "has no certificate"],
    [{ ...whole, vault_client_cert_bundle: client.pem }, "has no private key"],
    [
      { ...whole, vault_client_cert_bundle: `${client.key.pem}\n${stranger.pem}` },
      "no certificate that matches its private key",
    ],
    [{ ...whole, entity_jmespath: "a[" }, "entity_jmespath: the JMESPath expression is not valid"],
    [{ ...whole, group_jmespath: "nothing(@)" }, "group_jmespath: the JMESPath expression uses"],
    [{ ...whole, entity_jmespath: "a".repeat(1001) }, "is longer than 1000 characters"],
    [{ service: "a-b" }, "service must be a name of letters"],
  ])("rejects %j and stores nothing", async (body, text) => {
    const a = authority();
    const before = (await a.call("GET", path)).data;
    const refused = await a.call("POST", path, body);
    expect([refused.status, String(refused.errors[0])]).toEqual([
      400,
      expect.stringContaining(text),
    ]);
    expect((await a.call("GET", path)).data).toEqual(before);
  });

  it("rejects a client key that cannot be read (writeExternalPolicy: bad_key)", async () => {
    const broken = client.pem.replaceAll("CERTIFICATE", "ENCRYPTED PRIVATE KEY");
    const bundle = `${broken}\n${client.pem}`;
    const refused = await authority().call("POST", path, { vault_client_cert_bundle: bundle });
    expect([refused.status, String(refused.errors)]).toEqual([
      400,
      expect.stringContaining("encrypted"),
    ]);
  });

  it("seals the client's key, also after a rotation of the sealing key", async () => {
    const stores = memoryStore();
    const keyOf = (byte: number) => new Uint8Array(32).fill(byte);
    const vaults = [
      sealedVault({ key: keyOf(1) }),
      sealedVault({ key: keyOf(2), previous: keyOf(1) }),
      sealedVault({ key: keyOf(2) }),
    ] as const;
    const asking = await policyServer({
      requestCert: true,
      rejectUnauthorized: true,
      ca: [serviceCa.pem],
    });
    try {
      const first = await configured(
        { stores, vault: vaults[0], ...asking.ways },
        {
          vault_client_cert_bundle: `${client.pem}\n${client.key.pem}`,
        },
      );
      expect(await checked(first)).toMatchObject({ valid: true });
      const second = authority({
        stores,
        seed: 2,
        clock: first.clock,
        vault: vaults[1],
        ...asking.ways,
      });
      await second.call("POST", "sys/rotate");
      const third = authority({
        stores,
        seed: 3,
        clock: first.clock,
        vault: vaults[2],
        ...asking.ways,
      });
      expect(await checked(third)).toMatchObject({ valid: true });
      const { uuid = "" } = (await third.call("GET", "sys/mounts/pki")).data;
      const [row] = await third.stores(String(uuid)).get(["config/external-policy"]);
      expect(row?.value).toMatchObject({ client: { sealed: expect.any(Uint8Array) } });
      const stale = authority({
        stores,
        seed: 4,
        clock: first.clock,
        vault: vaults[0],
        ...asking.ways,
      });
      expect((await stale.call("POST", `${path}/check`, {})).status).toBe(503);
    } finally {
      asking.close();
    }
  });
});
