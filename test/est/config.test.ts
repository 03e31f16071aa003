import { describe, expect, it } from "vitest";
import { authority } from "../support/authority.ts";
import { hashCheaply } from "../support/cheap-passwords.ts";
import { alice, ask, bodyOf, enrolling, world } from "./world.ts";

hashCheaply();

const config = "pki/config/est";

describe("config/est", () => {
  it("(readEstConfig) has its defaults until it is written", async () => {
    const a = authority();
    expect((await a.call("GET", config)).data).toEqual({
      enabled: false,
      default_mount: false,
      default_path_policy: "",
      label_to_path_policy: {},
      authenticators: {},
      enable_sentinel_parsing: false,
      audit_fields: ["common_name", "alt_names", "ip_sans", "uri_sans"],
      csr_attributes: [],
      last_updated: "0001-01-01T00:00:00Z",
    });
  });

  it("(writeEstConfig) changes the sent fields and last_updated, and returns all fields", async () => {
    const { a, accessors } = await world();
    a.clock.advance(60);
    const sent = { enable_sentinel_parsing: true, audit_fields: "csr,key_type" };
    const { data } = await a.call("POST", config, sent);
    expect(data).toEqual({
      enabled: true,
      default_mount: true,
      default_path_policy: "role:web",
      label_to_path_policy: { dev: "role:web" },
      authenticators: {
        userpass: { accessor: accessors.userpass },
        approle: { accessor: accessors.approle },
        cert: { accessor: accessors.cert, cert_role: "device" },
      },
      enable_sentinel_parsing: true,
      audit_fields: ["csr", "key_type"],
      csr_attributes: [],
      last_updated: "2030-01-02T03:05:05Z",
    });
    expect((await a.call("GET", config)).data).toEqual(data);
    const less = { authenticators: { cert: null, userpass: {} }, label_to_path_policy: {} };
    expect((await a.call("PUT", config, less)).data).toMatchObject({
      authenticators: {},
      label_to_path_policy: {},
      enabled: true,
    });
  });

  it.each([
    [
      { default_mount: true, default_path_policy: "" },
      "default_mount requires default_path_policy",
    ],
    [{ default_path_policy: "role:" }, "is not a path policy"],
    [{ default_path_policy: "role:a/b" }, "is not a path policy"],
    [{ default_path_policy: "forbid" }, "is not a path policy"],
    [{ default_path_policy: "role:other" }, "the role other in a path policy does not exist"],
    [
      { label_to_path_policy: { x: "role:other" } },
      "the role other in a path policy does not exist",
    ],
    [{ label_to_path_policy: { x: "" } }, "is not a path policy"],
    [{ label_to_path_policy: { x: ["role:web"] } }, "label_to_path_policy.x"],
    [{ label_to_path_policy: { simpleenroll: "role:web" } }, "is reserved for an EST operation"],
    [{ label_to_path_policy: { FullCMC: "role:web" } }, "is reserved for an EST operation"],
    [{ label_to_path_policy: { "": "role:web" } }, "is not valid"],
    [{ label_to_path_policy: { "a/b": "role:web" } }, "is not valid"],
    [{ label_to_path_policy: { "..": "role:web" } }, "is not valid"],
    [{ label_to_path_policy: { "a.": "role:web" } }, "is not valid"],
    [{ label_to_path_policy: { ä: "role:web" } }, "is not valid"],
    [{ label_to_path_policy: { ["a".repeat(65)]: "role:web" } }, "is not valid"],
    [{ label_to_path_policy: { a: "role:web", A: "role:web" } }, "differ only in case"],
    [{ authenticators: { jwt: { accessor: "x" } } }, "unknown fields: authenticators.jwt"],
    [{ authenticators: { userpass: "x" } }, "userpass must be an object"],
    [{ authenticators: { userpass: { cert_role: "x" } } }, "userpass has no member cert_role"],
    [{ authenticators: { cert: { cert_role: "x" } } }, "cert requires an accessor"],
    [{ audit_fields: ["password"] }, "audit_fields: password is not an audit field"],
    [{ csr_attributes: ["challengePassword"] }, "csr_attributes"],
    [{ csr_attributes: ["1.2.3=1.2=1.3"] }, "csr_attributes"],
    [{ csr_attributes: ["1.2.3="] }, "csr_attributes"],
    [{ enabled: "maybe" }, "enabled"],
  ])("is not changed by a rejected %o", async (sent, text) => {
    const { a } = await world();
    const before = await a.call("GET", config);
    const answer = await a.call("POST", config, sent);
    expect([answer.status, answer.errors]).toEqual([400, [expect.stringContaining(text)]]);
    expect((await a.call("GET", config)).data).toEqual(before.data);
  });

  it("rejects the accessor of a method of another type", async () => {
    const { a, accessors } = await world();
    const authenticators = { userpass: { accessor: accessors.cert } };
    const answer = await a.call("POST", config, { authenticators });
    expect(answer.errors).toEqual([
      `authenticators: ${accessors.cert} is not the accessor of a login method of the type userpass`,
    ]);
  });

  it.each([true, false])(
    "accepts the accessor of a method that does not exist yet, with a warning (enabled: %s)",
    async (enabled) => {
      const { a } = await world();
      const authenticators = { userpass: { accessor: "auth_userpass_0" } };
      const answer = await a.call("POST", config, { enabled, authenticators });
      expect(answer.status).toBe(200);
      expect(answer.json["warnings"]).toContain(
        "auth_userpass_0 is not the accessor of a login method of the type userpass",
      );
      expect((await a.call("GET", config)).data["authenticators"]).toEqual(authenticators);
    },
  );

  it("warns about settings that prevent clients from enrolling", async () => {
    const { a, accessors } = await world();
    const warningsOf = async () => (await a.call("GET", config)).json["warnings"];
    expect(await warningsOf()).toBe("");
    await a.call("POST", "sys/mounts/pki/tune", { delegated_auth_accessors: [accessors.cert] });
    await a.call("DELETE", "sys/auth/approle");
    await a.call("DELETE", "pki/roles/web");
    a.clock.advance(2);
    expect(await warningsOf()).toBe(
      [
        "the role web does not exist",
        `${accessors.approle} is not the accessor of a login method of the type approle`,
        `nobody can log in with userpass, because ${accessors.userpass} is not in delegated_auth_accessors of sys/mounts/pki/tune`,
        `nobody can log in with approle, because ${accessors.approle} is not in delegated_auth_accessors of sys/mounts/pki/tune`,
      ].join("\n"),
    );
    await a.call("POST", config, {
      authenticators: {},
      default_path_policy: "sign-verbatim",
      label_to_path_policy: {},
    });
    expect(await warningsOf()).toBe("nobody can enroll, because no authenticators are set");
  });
});

/** Creates a second mount with a role `web`. */
async function second() {
  const w = await world();
  await w.a.call("POST", "sys/mounts/other", { type: "pki" });
  await w.a.call("POST", "other/root/generate/internal", {
    common_name: "Other CA",
    key_type: "ec",
  });
  await w.a.call("POST", "other/roles/web", { allow_any_name: true, key_type: "ec" });
  const take = (more: object) =>
    w.a.call("POST", "other/config/est", {
      enabled: true,
      default_path_policy: "role:web",
      ...more,
    });
  return { ...w, take };
}
const dev = { label_to_path_policy: { dev: "role:web" } };

describe("an EST label", () => {
  it("belongs to one mount, regardless of case, and so does the default mount", async () => {
    const { a, take } = await second();
    for (const label of ["dev", "DEV"]) {
      const refused = await take({
        label_to_path_policy: { [label]: "role:web", own: "role:web" },
      });
      expect([refused.status, refused.errors]).toEqual([
        400,
        [`the label ${label} is in use by another mount`],
      ]);
    }
    const refused = await take({ default_mount: true });
    expect([refused.status, refused.errors]).toEqual([
      400,
      ["a different mount is already the default mount of EST"],
    ]);
    expect((await a.call("GET", "other/config/est")).data["enabled"]).toBe(false);
    a.clock.advance(7200);
    expect((await take(dev)).status).toBe(400);
    expect((await take({ label_to_path_policy: { own: "role:web" } })).status).toBe(200);
    expect((await ask(a, "/.well-known/est/own/cacerts")).status).toBe(200);
  });

  it("is assigned to one of two mounts that request it concurrently", async () => {
    const { a, take } = await second();
    await a.call("POST", config, { default_mount: false, label_to_path_policy: {} });
    for (let round = 0; round < 8; round++) {
      const label = { label_to_path_policy: { [`both${round}`]: "role:web" } };
      const answers = await Promise.all([a.call("POST", config, label), take(label)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      const won = answers[0].status === 200 ? "Root CA" : "Other CA";
      a.clock.advance(2);
      const { text } = await ask(a, `/.well-known/est/both${round}/cacerts`);
      expect(Buffer.from(text, "base64").includes(won)).toBe(true);
    }
  });

  it("is available immediately after its mount releases it or is deleted", async () => {
    const { a, take } = await second();
    await a.call("POST", config, { label_to_path_policy: {} });
    a.clock.advance(2);
    expect((await ask(a, "/.well-known/est/dev/cacerts")).status).toBe(404);
    expect((await take(dev)).status).toBe(200);
    expect((await a.call("POST", config, dev)).status).toBe(400);
    await a.call("DELETE", "sys/mounts/other");
    expect((await ask(a, "/.well-known/est/dev/cacerts")).status).toBe(404);
    expect((await a.call("POST", config, dev)).status).toBe(200);
    a.clock.advance(2);
    expect((await ask(a, "/.well-known/est/dev/cacerts")).status).toBe(200);
  });

  it("leaves no rows after it is replaced", async () => {
    const { a } = await world();
    for (let round = 0; round < 5; round++) {
      await a.call("POST", config, { label_to_path_policy: { [`l${round}`]: "role:web" } });
      a.clock.advance(120);
    }
    expect((await a.stores("sys").list("estlabel/")).map(([key]) => key)).toEqual([
      "estlabel/-",
      "estlabel/l4",
    ]);
  });

  it("moves with its mount to another path", async () => {
    const { a } = await world();
    expect((await a.call("POST", "sys/remount", { from: "pki", to: "moved/pki" })).status).toBe(
      200,
    );
    expect((await ask(a, "/.well-known/est/dev/cacerts")).status).toBe(200);
    expect((await ask(a, "/v1/moved/pki/est/cacerts")).status).toBe(200);
    // policies refer to the new path: those for the old path grant nothing
    const enrol = async () =>
      ask(a, "/.well-known/est/dev/simpleenroll", { basic: alice, body: await bodyOf() });
    expect((await enrol()).status).toBe(403);
    const policy = enrolling("moved/pki/roles/web/est/simpleenroll");
    await a.call("POST", "sys/policies/acl/device", { policy });
    a.clock.advance(2);
    expect((await enrol()).status).toBe(200);
  });

  it("belongs to a restored mount again, unless another mount has claimed it meanwhile", async () => {
    const { a, take } = await second();
    const parts: Uint8Array[] = [];
    for await (const part of a.ca.backup("pki")) parts.push(part);
    const restored = async () => {
      await a.ca.restore("copy", parts);
      a.clock.advance(2);
    };
    await a.call("DELETE", "sys/mounts/pki");
    expect((await ask(a, "/.well-known/est/dev/cacerts")).status).toBe(404);
    await restored();
    expect((await ask(a, "/.well-known/est/dev/cacerts")).status).toBe(200);
    await a.call("DELETE", "sys/mounts/copy");
    expect((await take(dev)).status).toBe(200);
    await restored();
    const { data, json } = await a.call("GET", "copy/config/est");
    expect(data).toMatchObject({ enabled: true, ...dev });
    expect(json["warnings"]).toContain(
      "the label dev does not belong to this mount; write config/est again to claim it",
    );
    const { text } = await ask(a, "/.well-known/est/dev/cacerts");
    expect(Buffer.from(text, "base64").includes("Other CA")).toBe(true);
    expect((await a.call("POST", "copy/config/est", {})).status).toBe(400);
    await a.call("DELETE", "sys/mounts/other");
    expect((await a.call("POST", "copy/config/est", {})).status).toBe(200);
  });

  it("can be claimed by another mount while its former mount is being restored", async () => {
    const { a, take } = await second();
    const parts: Uint8Array[] = [];
    for await (const part of a.ca.backup("pki", { partBytes: 2000 })) parts.push(part);
    await a.call("DELETE", "sys/mounts/pki");
    await expect(a.ca.restore("copy", parts.slice(0, 1))).rejects.toThrow("the end of the backup");
    a.clock.advance(120);
    const taken = await take(dev);
    expect([taken.status, taken.text]).toEqual([200, expect.anything()]);
    await a.ca.restore("copy", parts);
    a.clock.advance(2);
    expect((await a.call("GET", "copy/config/est")).json["warnings"]).toContain(
      "the label dev does not belong to this mount; write config/est again to claim it",
    );
  });
});
