import { beforeEach, describe, expect, it } from "vitest";
import { derOf } from "../pki/reading.ts";
import { acmeAuthority, type AcmeAuthority, type AcmeClient } from "./client.ts";
import { certificateIdOf, finalize, issue, readyOrder } from "./ordering.ts";

let a: AcmeAuthority;
let client: AcmeClient;
beforeEach(async () => {
  a = await acmeAuthority();
  client = await a.registered();
});
const told = ({ status, problem }: Awaited<ReturnType<typeof finalize>>) => [status, problem];
const revoke = async (pem: unknown) =>
  client.post(await client.url("revokeCert"), {
    certificate: Buffer.from(derOf(pem)).toString("base64url"),
  });

describe("edge cases of orders", () => {
  it("acmeFinalize: an order whose profile was deleted is rejected with invalidProfile, and can be finalized once the profile exists again", async () => {
    await a.role("web");
    const order = await readyOrder(a, client, ["a.test"], { profile: "web" });
    await a.call("DELETE", "pki/roles/web");
    const csr = { names: ["a.test"] };
    expect(told(await finalize(client, order, csr))).toEqual([400, "invalidProfile"]);
    await a.role("web");
    expect((await finalize(client, order, csr)).status).toBe(200);
  });

  it("acmeRevoke: an imported issuer certificate is malformed, because it belongs to no account", async () => {
    const b = await acmeAuthority({ seed: 5 });
    const { certificate } = await b.pki.readIssuer({ issuer_ref: "root" });
    await a.call("POST", "pki/issuers/import/cert", { pem_bundle: certificate });
    expect(told(await revoke(certificate))).toEqual([400, "malformed"]);
  });

  it("acmeRenewalInfo: returns 404 if ACME is disabled, unauthorized if the directory is forbidden, and serverInternal for a corrupt certificate", async () => {
    const { leaf } = await issue(a, client, ["a.test"]);
    const url = `${await client.url("renewalInfo")}/${certificateIdOf(leaf)}`;
    const ask = async () => {
      const reply = await a.ca.fetch(new Request(url));
      return [reply.status, await reply.text()] as const;
    };
    expect((await ask())[0]).toBe(200);
    await a.call("POST", "pki/config/acme", { default_directory_policy: "forbid" });
    const [forbidden, text] = await ask();
    expect([forbidden, text]).toEqual([403, expect.stringContaining("unauthorized")]);
    await a.call("POST", "pki/config/acme", { default_directory_policy: "sign-verbatim" });
    const store = a.stores(await a.uuid());
    const key = `cert/${Buffer.from(leaf.serial).toString("hex")}`;
    const [row] = await store.get([key]);
    const value = row?.value as { der: Uint8Array };
    await store.commit({ put: [[key, { ...value, der: value.der.slice(0, -1) }]] });
    expect((await ask())[0]).toBe(500);
    await a.call("POST", "pki/config/acme", { enabled: false });
    expect((await ask())[0]).toBe(404);
  });
});
