import { describe, expect, it } from "vitest";
import { encodePem } from "../../src/base/pem.ts";
import { templateFor, type Asked } from "../external/deciding.ts";
import { acmeAuthority, type AcmeAuthority } from "./client.ts";
import { issue, newOrder } from "./ordering.ts";

const [hour, day] = [3600, 86_400];
/** Returns the lifetime in seconds of a certificate issued in a directory. */
async function lifetime(a: AcmeAuthority, at = "acme", more = {}): Promise<number> {
  const { leaf } = await issue(a, await a.registered({ at }), ["a.test"], { more });
  return leaf.notAfter - a.clock.now / 1000;
}
const tune = (a: AcmeAuthority, settings: object) =>
  a.call("POST", "sys/mounts/pki/tune", settings);

describe("the lifetime of an ACME certificate (B 5.9 ttl, D 5)", () => {
  it.each([
    ["nothing", {}, {}, 90 * day],
    ["the maximum of the mount", { max_lease_ttl: "20d" }, {}, 20 * day],
    ["the default of the mount", { default_lease_ttl: "10d" }, {}, 10 * day],
    ["a default of the mount of 768 h", { default_lease_ttl: "768h" }, {}, 768 * hour],
    ["no more than a mount by the system's maximum", { max_lease_ttl: 0 }, {}, 90 * day],
    ["max_ttl of config/acme", {}, { max_ttl: "200d" }, 200 * day],
    ["a shorter max_ttl", { default_lease_ttl: "10d" }, { max_ttl: "5d" }, 5 * day],
  ])("limited by %s", async (_, settings, config, seconds) => {
    const a = await acmeAuthority();
    expect((await tune(a, settings)).status).toBeLessThan(300);
    await a.call("POST", "pki/config/acme", config);
    expect(await lifetime(a)).toBe(seconds);
    // a role without lifetimes, by path and as a profile
    await a.role("web");
    expect(await lifetime(a, "roles/web/acme")).toBe(seconds);
    expect(await lifetime(a, "acme", { profile: "web" })).toBe(seconds);
  });

  it.each([
    [{ ttl: "10d" }, 10 * day],
    [{ ttl: "60d" }, 60 * day],
    [{ ttl: "120d" }, 90 * day],
    [{ max_ttl: "40d" }, 40 * day],
    [{ max_ttl: "120d" }, 90 * day],
  ])("with a role with %j, on a mount without limits", async (settings, seconds) => {
    const a = await acmeAuthority();
    await tune(a, { max_lease_ttl: "system" });
    await a.role("web", settings);
    expect(await lifetime(a, "roles/web/acme")).toBe(seconds);
  });

  it("may be set by notAfter of an order; a later one is rejected without double quotes (B 5.12 details)", async () => {
    const a = await acmeAuthority();
    await tune(a, { max_lease_ttl: "system" });
    const at = (days: number) =>
      new Date(a.clock.now + days * day * 1000).toISOString().replace(".000", "");
    expect(await lifetime(a, "acme", { notAfter: at(80) })).toBe(80 * day);
    const client = await a.registered();
    const late = await newOrder(client, ["a.test"], { notAfter: at(91) });
    expect([late.problem, late.detail]).toEqual([
      "malformed",
      expect.stringMatching(/^cannot satisfy request, as not_after '[^"]+' is later than/),
    ]);
  });

  it("is sent to an external policy with the limits of the mount", async () => {
    const asked: Asked[] = [];
    const a = await acmeAuthority({
      externalPolicy: async (question) => {
        asked.push(question);
        const { request_uuid, user_request_key_values: of } = question;
        const names = { subject: "a.test", names: { dns: ["a.test"] } };
        const certificate = encodePem("CERTIFICATE", await templateFor(of.csr, names));
        return { request_uuid, certificate, issuer_ref: "root", store_certificate: true };
      },
    });
    await a.call("POST", "pki/config/external-policy", { enabled: true });
    await lifetime(a, "external-policy/acme");
    await tune(a, { default_lease_ttl: "240h", max_lease_ttl: "480h" });
    await lifetime(a, "external-policy/acme");
    const told = asked.map(({ vault_request_values: { requested_issuance_config: of } }) => [
      of.mount_default_ttl,
      of.mount_max_ttl,
    ]);
    expect(told).toEqual([
      ["2160h", "2160h"],
      ["240h", "480h"],
    ]);
  });
});
