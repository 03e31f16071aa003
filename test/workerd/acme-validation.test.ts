import { runDurableObjectAlarm } from "cloudflare:test";
import { expect, it } from "vitest";
import { acceptChallenge } from "../../src/acme/validation/challenge-state.ts";
import { validationPut } from "../../src/acme/validation/authz-put.ts";
import { acmeKeys, type AuthzRow, storedAcme } from "../../src/acme/rows/records.ts";
import { newMount, type Mount } from "./worker-fixture.ts";

/** Stores an order with an accepted challenge for an IP address, which needs no DNS. */
async function order({ store }: Mount, id: string): Promise<void> {
  const now = Date.now();
  const seconds = Math.floor(now / 1000);
  const of = { account: "acc", directory: "acme", expires: seconds + 86_400 };
  const row: AuthzRow = {
    ...of,
    order: id,
    identifier: { type: "ip", value: "127.0.0.1" },
    wildcard: false,
    status: "pending",
    challenges: [{ type: "http-01", token: id, status: "pending", attempts: 0 }],
  };
  const changed = acceptChallenge(row, "http-01", now) ?? { row };
  await store.commit({
    put: [
      [acmeKeys.account("acc"), { thumbprint: "t", status: "valid", directory: "acme" }],
      [acmeKeys.order(id), { ...of, authorizations: [id], status: "pending" }],
      ...validationPut({ id, changed, now }),
    ],
  });
}
async function enabled(): Promise<Mount> {
  const mount = await newMount();
  await mount.api("POST", `/v1/${mount.path}/config/cluster`, { path: "https://ca.test/v1/pki" });
  const acme = await mount.api("POST", `/v1/${mount.path}/config/acme`, {
    enabled: true,
    challenge_permitted_ip_ranges: ["127.0.0.1/32"],
  });
  expect(acme.status, acme.text).toBe(200);
  return mount;
}
async function challenge({ store }: Mount, id: string) {
  const [row] = await store.get([acmeKeys.authz(id)]);
  return storedAcme.authz(row?.value).challenges[0];
}

it("an alarm starts a validation and returns, and the validation completes in the object", async () => {
  const mount = await enabled();
  await order(mount, "refused");
  await runDurableObjectAlarm(mount.stub());
  // port 80 of this host is closed, or serves something else
  await expect.poll(async () => (await challenge(mount, "refused"))?.attempts).toBe(1);
  expect((await challenge(mount, "refused"))?.error?.detail).toContain("127.0.0.1");
});
