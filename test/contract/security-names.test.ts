import { describe, expect, it } from "vitest";
import { fromHex } from "../../src/base/bytes.ts";
import { sequence, tlv } from "../../src/base/der.ts";
import { implicit } from "../support/der.ts";
import { encodeName } from "../../src/x509/name.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { seeded } from "../support/authority.ts";
import { commonName } from "../x509/fixture.ts";
import { heldIssuer } from "../pki/crafted.ts";
import { rdn, readCertificate, request, sanOf } from "../pki/reading.ts";
import { outcome, authorityWithRole, writeRole, sign, issue, storedRows } from "./security.ts";

describe("names and role rules", () => {
  it("security row 1: every source of a name is checked against the role", async () => {
    const a = await authorityWithRole({
      key_type: "ec",
      allow_any_name: false,
      allow_bare_domains: true,
      allowed_domains: "good.test",
      allowed_uri_sans: "good:*",
      allowed_other_sans: "1.2.3;UTF8:good",
      allowed_ip_sans_cidr: "192.0.2.0/24",
      allowed_user_ids: "good",
      allowed_serial_numbers: "good",
    });
    const good = { common_name: "good.test" };
    const bodies: readonly object[] = [
      { common_name: "bad.test" },
      { ...good, alt_names: "bad.test" },
      { ...good, alt_names: "u@bad.test" },
      { ...good, ip_sans: "198.51.100.1" },
      { ...good, uri_sans: "bad:x" },
      { ...good, other_sans: "1.2.3;UTF8:bad" },
      { ...good, other_sans: "1.2.4;UTF8:good" },
      { ...good, user_ids: "bad" },
      { ...good, serial_number: "bad" },
    ];
    const subject = (
      ...more: Parameters<typeof request>[0] extends infer O
        ? O extends { subject?: readonly (infer R)[] }
          ? R[]
          : never
        : never
    ) => [...commonName("good.test"), ...more];
    const csrs: readonly Parameters<typeof request>[0][] = [
      { cn: "bad.test" },
      { subject: [...commonName("good.test"), ...commonName("bad.test")] },
      { cn: "good.test", extensions: [sanOf({ dns: ["bad.test"] })] },
      { cn: "good.test", extensions: [sanOf({ email: ["u@bad.test"] })] },
      { cn: "good.test", extensions: [sanOf({ ip: ["198.51.100.1"] })] },
      { cn: "good.test", extensions: [sanOf({ uri: ["bad:x"] })] },
      { cn: "good.test", extensions: [sanOf({ other: [{ oid: "1.2.3", value: "bad" }] })] },
      { cn: "good.test", extensions: [sanOf({ directory: [encodeName(commonName("bad"))] })] },
      { subject: subject(rdn("userId", "bad")) },
      { subject: subject(rdn("serialNumber", "bad")) },
    ];
    const before = await storedRows(a);
    for (const body of bodies) expect([body, (await issue(a, body)).status]).toEqual([body, 400]);
    for (const [i, csr] of csrs.entries())
      expect([i, (await sign(a, csr)).status]).toEqual([i, 400]);
    for (const body of bodies.slice(7))
      expect([body, (await sign(a, { cn: "good.test" }, "sign/web", body)).status]).toEqual([
        body,
        400,
      ]);
    expect(await storedRows(a)).toBe(before);
    expect([
      (await issue(a, good)).status,
      (
        await sign(a, {
          cn: "good.test",
          extensions: [sanOf({ ip: ["192.0.2.1"], uri: ["good:x"] })],
        })
      ).status,
    ]).toEqual([200, 200]);
  });

  it("security row 2: one forbidden name denies the request: nothing is stored and no serial number generated", async () => {
    const drawn: number[] = [];
    const chance = seeded(3);
    const a = await authorityWithRole(
      {
        key_type: "ec",
        allow_any_name: false,
        allow_subdomains: true,
        allowed_domains: "good.test",
      },
      { random: (bytes) => (drawn.push(bytes), chance(bytes)) },
    );
    const before = await storedRows(a);
    drawn.length = 0;
    const names = Array.from({ length: 50 }, (_, i) => (i === 37 ? "bad.test" : `h${i}.good.test`));
    expect(outcome(await issue(a, { common_name: "a.good.test", alt_names: names.join() }))).toBe(
      "subject alternate name bad.test not allowed by this role",
    );
    expect((await sign(a, { cn: "a.good.test", extensions: [sanOf({ dns: names })] })).status).toBe(
      400,
    );
    expect(await storedRows(a)).toBe(before);
    // 16 bytes are the request id of a reply; a serial number would be 10
    expect(drawn.filter((bytes) => bytes !== 16)).toEqual([]);
  });

  it("security row 3: invalid host names do not become SANs, and valid ones are used unchanged or as A-labels", async () => {
    const a = await authorityWithRole({
      key_type: "ec",
      cn_validations: "disabled",
      enforce_hostnames: false,
    });
    const taken: Readonly<Record<string, string | undefined>> = {
      ".a.test": undefined,
      "a.test.": "a.test.",
      " a.test": undefined,
      "a.test ": undefined,
      "a.*.test": undefined,
      "*.": undefined,
      "*.*.x": undefined,
      "*": undefined,
      [`${"x".repeat(64)}.test`]: undefined,
      [`${"x.".repeat(127)}y`]: undefined,
      "a..test": undefined,
      "a_b.test": undefined,
      "A.Test": "A.Test",
      "bücher.test": "xn--bcher-kva.test",
      "xn--bcher-kva.test": "xn--bcher-kva.test",
      "\u0430.test": "xn--80a.test",
      "\u202eevil.test": undefined,
      "a\u3002test": undefined,
      "192.0.2.1": undefined,
      "0300.0.2.1": undefined,
      "0x7f.1": undefined,
      "a.0x1": undefined,
      "::1": undefined,
      "a.test:443": undefined,
      "https://a.test": undefined,
    };
    for (const [name, wanted] of Object.entries(taken)) {
      const { names } = readCertificate(
        // the compat dialect issues longer common names
        (
          await a.call(
            "POST",
            "pki/issue/web",
            { common_name: name, alt_names: "cn.test" },
            { compat: true },
          )
        ).data["certificate"],
      );
      expect([name, names?.dns.filter((one) => one !== "cn.test")]).toEqual([
        name,
        wanted === undefined ? [] : [wanted],
      ]);
      const asked = await issue(a, { common_name: "cn.test", alt_names: name });
      const trimmed = name.trim();
      expect([name, asked.status]).toEqual([
        name,
        wanted === undefined && trimmed === name ? 400 : 200,
      ]);
    }
    for (const bad of ["a\0.test", "a.test\n", "a\u007f.test", "\ud800.test"])
      for (const body of [
        { common_name: bad },
        { common_name: "cn.test", alt_names: bad },
        { common_name: "cn.test", serial_number: bad },
      ])
        expect([bad, (await issue(a, body)).status]).toEqual([bad, 400]);
    // more than 64 characters: rejected in the documented dialect only (D 1 row 8)
    const long = `${"x".repeat(40)}.${"y".repeat(40)}.test`;
    expect((await issue(a, { common_name: long })).status).toBe(400);
    const csr = await request({ cn: "a.test", extensions: [sanOf({ dns: ["0xC0.0.2.1"] })] });
    expect(
      JSON.stringify((await a.call("POST", "pki/explain/sign-verbatim", { csr })).data),
    ).toContain("is read as an IP address");
  });

  it("security row 4: the star is the only metacharacter of a glob and matches dots; a star from a template value is literal", async () => {
    const entity = { id: "1", name: "*", metadata: { dots: ".*" }, aliases: {}, groups: [] };
    const a = await authorityWithRole(
      {},
      { authenticate: async () => ({ id: "t", can: () => true, entity }) },
    );
    const granted = async (allowed_domains: string, name: string) => {
      await writeRole(a, {
        key_type: "ec",
        allow_any_name: false,
        allow_localhost: false,
        allow_glob_domains: true,
        allow_bare_domains: true,
        allowed_domains_template: true,
        allowed_domains,
      });
      return (await issue(a, { common_name: name })).status === 200;
    };
    expect(await granted("*.a.test", "x.y.a.test")).toBe(true);
    for (const pattern of [
      ".*.a.test",
      "?.a.test",
      "[a-z].a.test",
      "(x|y).a.test",
      "x+.a.test",
      "^x.a.test$",
      "\\w.a.test",
      "{x,y}.a.test",
      "x.a.tes.",
    ])
      expect([pattern, await granted(pattern, "x.a.test")]).toEqual([pattern, false]);
    expect(await granted("*.atest", "x.a.test")).toBe(false);
    for (const template of [
      "{{identity.entity.name}}.a.test",
      "x{{identity.entity.metadata.dots}}",
      "{{identity.entity.name}}",
    ])
      expect([template, await granted(template, "x.a.test")]).toEqual([template, false]);
  });

  it("security row 6: without allowed domains no name is allowed, and empty domains match nothing", async () => {
    const a = await authorityWithRole();
    const open = {
      allow_bare_domains: true,
      allow_subdomains: true,
      allow_glob_domains: true,
      allow_localhost: false,
      enforce_hostnames: false,
    };
    for (const allowed_domains of [[], "", [""], ["", ""], null]) {
      await writeRole(a, { key_type: "ec", allow_any_name: false, ...open, allowed_domains });
      for (const name of ["a.test", "test", ".", "a.", "u@a.test", "localhost"]) {
        expect([allowed_domains, name, (await issue(a, { common_name: name })).status]).toEqual([
          allowed_domains,
          name,
          400,
        ]);
        expect((await sign(a, { cn: name })).status).toBe(400);
      }
    }
    await writeRole(a, {
      key_type: "ec",
      allow_any_name: false,
      ...open,
      allowed_domains: ["", "a.test", ""],
    });
    expect([
      (await issue(a, { common_name: "x.a.test" })).status,
      (await issue(a, { common_name: "b.test" })).status,
    ]).toEqual([200, 400]);
  });

  it("security row 9: a leaf that violates a constraint of any CA above it is rejected before it is signed", async () => {
    const drawn: number[] = [];
    const chance = seeded(4);
    const a = await authorityWithRole(
      { key_type: "ec", allowed_other_sans: "*", allowed_uri_sans: "*" },
      { random: (bytes) => (drawn.push(bytes), chance(bytes)) },
    );
    const { id } = await a.intermediate({
      permitted_dns_domains: "ok.test",
      excluded_dns_domains: ".no.ok.test",
      excluded_email_addresses: "no.test",
    });
    drawn.length = 0;
    for (const body of [
      { common_name: "b.test" },
      { common_name: "x.no.ok.test" },
      { common_name: "*.ok.test", alt_names: "u@no.test" },
      { common_name: "ok.test", alt_names: "u@no.test." },
      { common_name: "ok.test", other_sans: "1.3.6.1.5.5.7.8.9;UTF8:ü@no.test" },
      { common_name: "evil.test", exclude_cn_from_sans: true, alt_names: "ok.test" },
    ])
      expect([body, (await a.call("POST", `pki/issuer/${id}/issue/web`, body)).status]).toEqual([
        body,
        400,
      ]);
    expect(drawn.filter((bytes) => bytes !== 16)).toEqual([]);
    expect(
      (await a.call("POST", `pki/issuer/${id}/issue/web`, { common_name: "no.ok.test" })).status,
    ).toBe(200);
    const gaps = {
      oid: extensionOid.nameConstraints,
      critical: true,
      value: sequence(tlv(0xa0, sequence(implicit(7, tlv(4, fromHex("c0000200ff00ff00")))))),
    };
    expect(
      (
        await a.call(
          "POST",
          `pki/issuer/${await heldIssuer(a, { extensions: [gaps] })}/issue/web`,
          { common_name: "ok.test" },
        )
      ).status,
    ).toBe(400);
  });
});
