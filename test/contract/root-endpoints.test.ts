import { describe, expect, it } from "vitest";
import { authority, refusal } from "../support/authority.ts";

describe("root endpoints", () => {
  it("A 3.1 LIST issuers: lists ids in order with details of each; 404 if there are none", async () => {
    const a = authority();
    expect((await a.call("LIST", "pki/issuers")).status).toBe(404);
    const one = await a.root();
    const two = await a.root({ issuer_name: "two" });
    const { data } = await a.call("LIST", "pki/issuers", undefined, { token: "" });
    const validity = { not_before: "2030-01-02T03:03:35Z", not_after: "2039-02-17T11:04:05Z" };
    expect(data).toEqual({
      keys: [one.issuer_id, two.issuer_id].sort(),
      key_info: {
        [one.issuer_id]: {
          issuer_name: "root",
          is_default: true,
          serial_number: one.serial_number,
          key_id: one.key_id,
          revoked: false,
          issuer_revoked: false,
          ...validity,
        },
        [two.issuer_id]: {
          issuer_name: "two",
          is_default: false,
          serial_number: two.serial_number,
          key_id: two.key_id,
          revoked: false,
          issuer_revoked: false,
          ...validity,
        },
      },
    });
  });

  it("A 3.1 POST root/generate/:t, issuers/generate/root/:t, root/rotate/:t: create an internal or exported key, or use an existing one; other types are rejected", async () => {
    const a = authority();
    for (const path of ["root/generate", "issuers/generate/root", "root/rotate"]) {
      const send = (type: string, body: object = {}) =>
        a.call("POST", `pki/${path}/${type}`, {
          common_name: `${path} ${type}`,
          ...(type === "existing" ? {} : { key_type: "ec" }),
          ...body,
        });
      const inside = await send("internal");
      expect([inside.status, inside.data["private_key"]]).toEqual([200, undefined]);
      const shown = await send("exported");
      expect(shown.data["private_key"]).toContain("EC PRIVATE KEY");
      const existing = await send("existing", { key_ref: inside.data["key_id"] });
      expect([existing.data["key_id"], existing.data["private_key"]]).toEqual([
        inside.data["key_id"],
        undefined,
      ]);
      const other = await send("elsewhere");
      expect([other.status, other.errors]).toEqual([
        400,
        ['the "exported" path parameter must be "internal", "existing", exported" or "kms"'],
      ]);
    }
  });

  it("A 3.1 POST root/replace, A 3.4 item 2: makes the issuer `next`, or the given one, the default, as config/issuers does", async () => {
    const a = authority();
    await a.root();
    expect(await refusal(a.pki.replaceRoot({}))).toEqual([
      400,
      "Error resolving issuer reference: unable to find PKI issuer for reference: next",
    ]);
    const next = await a.pki.rotateRoot({ common_name: "Next", key_type: "ec" });
    expect((await a.call("POST", "pki/root/replace")).data).toEqual({
      default: next.issuer_id,
      default_follows_latest_issuer: false,
    });
    expect(
      (await a.pki.replaceRoot({ default: "root", default_follows_latest_issuer: true })).default,
    ).not.toBe(next.issuer_id);
    expect((await a.pki.readIssuersConfig({})).default_follows_latest_issuer).toBe(true);
  });

  it("A 3.1 DELETE root, A 3.4 item 3: deletes every issuer and key with a warning, even if there are none; issued certificates remain", async () => {
    const a = authority();
    await a.root();
    await a.role("web");
    const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test", ttl: "1h" });
    for (let i = 0; i < 2; i++) {
      const { status, json } = await a.call("DELETE", "pki/root", undefined, { compat: true });
      expect([status, json["data"], json["warnings"]]).toEqual([200, null, [expect.any(String)]]);
      for (const list of ["issuers", "keys"])
        expect((await a.call("LIST", `pki/${list}`)).status).toBe(404);
      expect([
        (await a.pki.readIssuersConfig({})).default,
        (await a.pki.readKeysConfig({})).default,
      ]).toEqual(["", ""]);
    }
    expect((await a.pki.listCerts({})).keys).toContain(serial_number);
    expect(await a.pki.deleteRoot()).toEqual({ warnings: [expect.any(String)] });
  });

  it("A 3.4 item 1: a rotation names the issuer `next` unless the name is taken, and does not change the default", async () => {
    const a = authority();
    const root = await a.root();
    await a.pki.writeIssuersConfig({ default: "root", default_follows_latest_issuer: true });
    const names = [];
    for (const input of [{}, {}, { issuer_name: "third" }])
      names.push(
        (await a.pki.rotateRoot({ common_name: "N", key_type: "ec", ...input })).issuer_name,
      );
    names.push(
      (await a.pki.rotateExportedRoot({ common_name: "E", key_type: "ec" })).issuer_name,
      (await a.pki.rotateRootFromKey({ common_name: "F" })).issuer_name,
    );
    expect(names).toEqual(["next", "", "third", "", ""]);
    expect((await a.pki.readIssuersConfig({})).default).toBe(root.issuer_id);
  });
});
