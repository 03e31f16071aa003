import { describe, expect, it } from "vitest";
import {
  authority,
  start,
  warningsOf,
  type Answer,
  type Authority,
  type Pki,
} from "../support/authority.ts";
import { derOf, readCertificate, request, shown } from "../pki/reading.ts";
import { X509Certificate } from "../pki/peculiar.ts";

const now = start / 1000;
type Rules = Partial<Parameters<Pki["writeRole"]>[0]>;
async function withRole(
  rules: Rules = {},
  root: Parameters<Authority["root"]>[0] = {},
): Promise<Authority> {
  const a = authority();
  await a.root(root);
  await a.role("web", rules);
  return a;
}
const iso = (seconds: number): string =>
  new Date((now + seconds) * 1000).toISOString().replace(".000", "");
const issue = (a: Authority, body: object, compat = false): Promise<Answer> =>
  a.call("POST", "pki/issue/web", { common_name: "a.test", ...body }, { compat });
/** Returns notBefore and notAfter in seconds from now, or status and message of the error. */
function times(answer: Answer): readonly unknown[] {
  if (answer.status !== 200) return [answer.status, answer.errors[0]];
  const { notBefore, notAfter } = readCertificate(answer.data["certificate"]);
  return [notBefore - now, notAfter - now];
}

describe("serial numbers", () => {
  it("A 6.1 serial numbers: have 20 octets, are positive, in lower case with colons; lookups accept dashes and any case", async () => {
    const a = await withRole();
    for (let i = 0; i < 20; i++) {
      const { serial_number, certificate } = await a.pki.issue({
        role: "web",
        common_name: "a.test",
      });
      expect(serial_number).toMatch(/^[0-7][0-9a-f](:[0-9a-f]{2}){19}$/);
      expect(serial_number).not.toMatch(/^00/);
      expect(new X509Certificate(certificate).serialNumber).toBe(serial_number.replaceAll(":", ""));
      for (const spelt of [
        serial_number,
        serial_number.toUpperCase(),
        serial_number.replaceAll(":", "-"),
        serial_number.replaceAll(":", "-").toUpperCase(),
      ])
        expect((await a.pki.readCert({ serial: spelt })).certificate.trim()).toBe(certificate);
    }
  });
});

describe("validity of a certificate", () => {
  it("A 6.2 time fields: notBefore is backdated by 30 seconds by default, the TTL counts from now, and years from 2050 have four digits", async () => {
    const a = await withRole();
    expect(times(await issue(a, { ttl: 60 }))).toEqual([-30, 60]);
    expect(times(await issue(await withRole({ not_before_duration: 0 }), { ttl: 60 }))).toEqual([
      0, 60,
    ]);
    expect(times(await issue(await withRole({ not_before_duration: 300 }), { ttl: 60 }))).toEqual([
      -300, 60,
    ]);
    expect(
      times(
        await a.call("POST", "pki/sign-verbatim", {
          csr: await request({ cn: "a.test" }),
          ttl: 60,
        }),
      ),
    ).toEqual([-30, 60]);
    const odd = await a.call("POST", "pki/sign-verbatim", {
      csr: await request({ cn: "a.test" }),
      ttl: "soon",
    });
    expect([odd.status, odd.errors[0]]).toEqual([
      400,
      expect.stringContaining('error converting input for field "ttl"'),
    ]);
    const long = await withRole({}, { ttl: undefined, not_after: "2060-01-01T00:00:00Z" });
    const text = async (not_after: string) =>
      shown(derOf((await issue(long, { not_after })).data["certificate"]));
    expect(await text("2049-12-31T23:59:59Z")).toContain("\x17\x0d491231235959Z");
    expect(await text("2050-01-01T00:00:00Z")).toContain("\x18\x0f20500101000000Z");
  });

  it("A 6.3 rule 1: the requested ttl applies, and the role's not_after has precedence over the requested one", async () => {
    expect(times(await issue(await withRole(), { ttl: "2h" }))).toEqual([-30, 7200]);
    expect(times(await issue(await withRole(), { not_after: iso(900) }))).toEqual([-30, 900]);
    expect(
      times(await issue(await withRole({ not_after: iso(1000) }), { not_after: iso(900) })),
    ).toEqual([-30, 1000]);
  });

  it("A 6.3 rule 2: ttl and not_after together are rejected, even if not_after is the role's", async () => {
    const text =
      "Either ttl or not_after should be provided. Both should not be provided in the same request.";
    expect(times(await issue(await withRole(), { ttl: 60, not_after: iso(900) }))).toEqual([
      400,
      text,
    ]);
    expect(times(await issue(await withRole({ not_after: iso(900) }), { ttl: 60 }))).toEqual([
      400,
      text,
    ]);
    expect(times(await issue(await withRole({ not_after: iso(900) }), { ttl: 0 }))).toEqual([
      -30, 900,
    ]);
  });

  it("A 6.3 rule 3: the TTL is the request's, the role's or the mount's; above the maximum it is rejected or capped with a warning", async () => {
    expect(times(await issue(await withRole({ ttl: "3h" }), {}))).toEqual([-30, 10_800]);
    expect(times(await issue(await withRole(), {}))).toEqual([-30, 2_764_800]);
    const a = await withRole({ max_ttl: "1h" });
    const text = 'TTL "2h0m0s" is longer than permitted maxTTL "1h0m0s"';
    expect(times(await issue(a, { ttl: "2h" }))).toEqual([
      400,
      `cannot satisfy request, as ${text}`,
    ]);
    const capped = await issue(a, { ttl: "2h" }, true);
    expect([times(capped), capped.json["warnings"]]).toEqual([
      [-30, 3600],
      [`${text}, so maxTTL is being used`],
    ]);
    for (const compat of [false, true]) {
      const unasked = await issue(a, {}, compat);
      expect(times(unasked)).toEqual([-30, 3600]);
      expect([unasked.json["warnings"]].flat()).toEqual([
        'TTL "768h0m0s" is longer than permitted maxTTL "1h0m0s", so maxTTL is being used',
      ]);
    }
    expect(
      (await a.call("POST", "sys/mounts/pki/tune", { max_lease_ttl: "2h" })).status,
    ).toBeLessThan(300);
    await a.role("web");
    expect(times(await issue(a, { ttl: "3h" }, true))).toEqual([-30, 7200]);
    expect((await issue(a, {}, true)).json["warnings"]).toBeNull();
  });

  it("A 6.3 rule 4: not_after is limited by the role's max_ttl, not by the mount's; invalid times are rejected", async () => {
    const a = await withRole({}, { ttl: undefined, not_after: "9999-12-31T23:59:59Z" });
    expect(
      (await a.call("POST", "sys/mounts/pki/tune", { max_lease_ttl: "2h" })).status,
    ).toBeLessThan(300);
    expect((await issue(a, { not_after: "9999-12-31T23:59:59Z" })).data["expiration"]).toBe(
      "253402300799",
    );
    expect((await issue(a, { not_after: "tomorrow" })).status).toBe(400);
    await a.role("web", { max_ttl: "1h" });
    expect((await issue(a, { not_after: iso(7200) })).errors[0]).toMatch(
      /^cannot satisfy request, as not_after ".*" is later than permitted by maxTTL "1h0m0s"$/,
    );
    const capped = await issue(a, { not_after: iso(7200) }, true);
    expect(times(capped)).toEqual([-30, 3600]);
    expect(capped.json["warnings"]).toEqual([expect.stringContaining("so maxTTL is being used")]);
  });

  it("A 6.3 rule 5: beyond the issuer's expiry, a request is rejected, truncated or permitted, as the issuer is configured", async () => {
    const a = await withRole({}, { ttl: "10h" });
    const ask = () => issue(a, { ttl: "20h" });
    const text = `cannot satisfy request, as TTL would result in notAfter of ${iso(72_000)} that is beyond the expiration of the CA certificate at ${iso(36_000)}`;
    expect(times(await ask())).toEqual([400, text]);
    for (const [behavior, expected] of [
      ["truncate", [-30, 36_000]],
      ["permit", [-30, 72_000]],
      ["always_enforce_err", [400, text]],
      ["err", [400, text]],
    ] as const) {
      await a.pki.patchIssuer({ issuer_ref: "root", leaf_not_after_behavior: behavior });
      expect(times(await ask())).toEqual(expected);
    }
    const csr = await request({ cn: "I" });
    const cut = await a.pki.signIntermediate({ csr, ttl: "20h" });
    expect([readCertificate(cut.certificate).notAfter - now, warningsOf(cut).join()]).toEqual([
      36_000,
      expect.stringContaining("truncated"),
    ]);
    expect(
      (
        await a.call("POST", "pki/root/sign-intermediate", {
          csr,
          ttl: "20h",
          enforce_leaf_not_after_behavior: true,
        })
      ).errors,
    ).toEqual([text]);
    await a.pki.patchIssuer({ issuer_ref: "root", leaf_not_after_behavior: "always_enforce_err" });
    expect(
      (await a.call("POST", "pki/root/sign-intermediate", { csr, ttl: "20h" })).errors,
    ).toEqual([text]);
    await a.pki.patchIssuer({ issuer_ref: "root", leaf_not_after_behavior: "truncate" });
    a.clock.advance(36_000);
    expect((await ask()).status).toBe(200);
    // a certificate that has expired when it is issued is useless, however far it is backdated
    a.clock.advance(1);
    const expired = expect.stringContaining("the CA certificate expired at") as string;
    expect((await ask()).errors).toEqual([expired]);
    expect(
      (
        await a.call("POST", "pki/sign-verbatim", {
          csr: await request({ cn: "a.test" }),
          ttl: "20h",
        })
      ).errors,
    ).toEqual([expired]);
    expect(
      (
        await a.call("POST", "pki/root/sign-intermediate", {
          csr,
          ttl: "20h",
          not_before_duration: "1000h",
        })
      ).errors,
    ).toEqual([expired]);
  });

  it("A 6.3 rule 6: a notBefore at or after notAfter is rejected with both times", async () => {
    const a = await withRole();
    expect(times(await issue(a, { not_after: iso(-60) }))).toEqual([
      400,
      `notBefore ${iso(-30)} is later than notAfter ${iso(-60)}`,
    ]);
    expect(times(await issue(a, { not_after: iso(-30) }))).toEqual([
      400,
      `notBefore ${iso(-30)} is equal to notAfter ${iso(-30)}`,
    ]);
  });

  it("A 6.3 rule 7: the role limits requested not_before and not_after", async () => {
    const ask = async (rules: Rules, body: object) =>
      times(await issue(await withRole(rules), body));
    expect(await ask({}, { not_before: iso(-5000), ttl: 60 })).toEqual([-5000, 60]);
    expect(await ask({ not_before_bound: "forbid" }, { not_before: iso(0), ttl: 60 })).toEqual([
      400,
      expect.stringContaining("not_before is forbidden"),
    ]);
    expect(await ask({ not_before_bound: "duration" }, { not_before: iso(-31), ttl: 60 })).toEqual([
      400,
      expect.stringContaining("not_before is earlier than"),
    ]);
    expect(await ask({ not_before_bound: "duration" }, { not_before: iso(-30), ttl: 60 })).toEqual([
      -30, 60,
    ]);
    expect(await ask({ not_after_bound: "forbid" }, { not_after: iso(60) })).toEqual([
      400,
      expect.stringContaining("not_after is forbidden"),
    ]);
    expect(
      await ask({ not_after_bound: "ttl-limited", max_ttl: 100 }, { not_after: iso(101) }),
    ).toEqual([400, expect.stringContaining("not_after is later than")]);
    expect(
      await ask({ not_after_bound: "ttl-limited", max_ttl: 100 }, { not_after: iso(100) }),
    ).toEqual([-30, 100]);
    expect(await ask({ not_after_bound: iso(50) }, { not_after: iso(51) })).toEqual([
      400,
      expect.stringContaining("not_after is later than"),
    ]);
    expect(await ask({ not_after_bound: iso(50) }, { not_after: iso(50) })).toEqual([-30, 50]);
  });
});
