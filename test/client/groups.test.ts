import { expect, it } from "vitest";
import { createCa, memoryStore, pkiGroups } from "../../src/index.ts";

it("the groups of a CA offer the most used methods by subject", async () => {
  const ca = createCa({ stores: memoryStore() });
  await ca.issuers.generateRoot({ common_name: "Root", key_type: "ec", ttl: "9000h" });
  await ca.roles.write({ name: "web", key_type: "ec", allow_any_name: true });
  const { serial_number } = await ca.certificates.issue({ role: "web", common_name: "a.example" });
  await ca.certificates.revoke({ serial_number });
  expect(await ca.crl.read()).toBeInstanceOf(Uint8Array);
  expect((await ca.acme.readConfig()).enabled).toBe(false);
});

it("every method of a group is a method of the typed client", () => {
  const { pki } = createCa({ stores: memoryStore() });
  for (const group of Object.values(pkiGroups(pki)))
    for (const method of Object.values(group)) expect(Object.values(pki)).toContain(method);
});
