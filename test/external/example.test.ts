import { createServer } from "node:https";
import { X509Certificate } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { decide, policyService } from "../../examples/policy-service/service.ts";
import { dial, listening, now } from "../net/tls-fixture.ts";
import { checked, configured, serviceLeaf } from "./service.ts";

const rules = { domains: ["example.com"], hours: 24, now: () => now * 1000 };
const server = createServer(
  { key: serviceLeaf.key.pem, cert: serviceLeaf.pem },
  (request, response) => void policyService(rules)(request, response),
);
const port = await listening(server);
afterAll(() => server.close().closeAllConnections());
const a = await configured({
  dial: () => dial(port),
  resolve: async ({ type }) => (type === "A" ? ["93.184.216.34"] : []),
});
const { csr } = await a.pki.generateIntermediate({ common_name: "x", key_type: "ec" });
const asked = (user: object, mode = "sign") => ({
  request_uuid: "1",
  user_request_key_values: { csr, ...user },
  vault_request_values: { issuance_mode: mode, requested_issuer_id: "" },
});

describe("the example policy service", () => {
  it("responds over HTTPS", async () => {
    expect(await checked(a)).toMatchObject({
      valid: true,
      accepted: false,
      message: "the service refused the request: a common_name or alt_names is needed",
    });
  });
  it("approves names in its domains, with a template for the key of the CSR", () => {
    const answer = decide(
      asked({ common_name: "WEB.example.com", alt_names: "a.example.com, example.com" }),
      rules,
    );
    const { certificate = "" } = "certificate" in answer ? answer : {};
    const read = new X509Certificate(certificate);
    expect(read.subject).toBe("CN=web.example.com");
    expect(read.subjectAltName).toBe("DNS:web.example.com, DNS:a.example.com, DNS:example.com");
    expect(read.validToDate.getTime()).toBe((now + 86_400) * 1000);
    expect(read.publicKey.asymmetricKeyType).toBe("ec");
    expect(answer).toMatchObject({ issuer_ref: "default", store_certificate: true });
  });
  it("rejects names in other domains, CAs and malformed CSRs", () => {
    for (const [user, mode, text] of [
      [{ common_name: "a.example.org" }, "sign", "a.example.org is in no domain of ours"],
      [{ common_name: "badexample.com" }, "sign", "in no domain"],
      [{ common_name: "CA" }, "ica", "certifies no CAs"],
      [
        { common_name: "a.example.com", csr: "-----BEGIN CERTIFICATE REQUEST-----\nAAAA" },
        "sign",
        "cannot be read",
      ],
    ] as const)
      expect(decide(asked(user, mode), rules)).toEqual({ error: expect.stringContaining(text) });
  });
  it("approves the validated names of an ACME order", () => {
    const order = {
      ...asked({}, "acme"),
      acme_request_key_values: { authorizations: [{ identifier: { value: "b.example.com" } }] },
    };
    expect(decide(order, rules)).toMatchObject({ certificate: expect.any(String) });
  });
});
