import { describe, expect, it } from "vitest";
import { ensureAuthority } from "../../src/client/ensure.ts";
import { createCa, memoryStore, type EnsureOptions } from "../../src/index.ts";
import { authority, clockAt } from "../support/authority.ts";

const wanted: EnsureOptions = {
  root: { common_name: "Root" },
  intermediate: { common_name: "Intermediate", organization: "Example" },
  roles: [{ name: "web", key_type: "ec", allow_any_name: true }],
};
const nothing = { root: false, intermediate: false, roles: [] };

describe("ensure", () => {
  it("creates a root, an intermediate and roles, and nothing when it is repeated", async () => {
    const { ca } = authority();
    const first = await ca.ensure(wanted);
    expect(first.created).toEqual({ root: true, intermediate: true, roles: ["web"] });
    expect(first.root).toMatchObject({ issuer_name: "root" });
    expect(first.intermediate).toMatchObject({ issuer_name: "intermediate" });
    const issued = await ca.pki.issue({ role: "web", common_name: "www.example.com" });
    expect(issued.ca_chain?.map((pem) => pem.trim())).toEqual(
      [first.intermediate, first.root].map((issuer) => issuer?.certificate.trim()),
    );
    const again = await ca.ensure(wanted);
    expect(again).toEqual({ ...first, created: nothing, warnings: [] });
  });
  it("rejects unknown options and a missing root from callers without types", async () => {
    const { ca } = authority();
    const untyped = (options: object) => ca.ensure(options as EnsureOptions);
    await expect(untyped({ ...wanted, rolls: [] })).rejects.toThrow(
      "ensure: unknown option rolls; known options: root, intermediate, roles",
    );
    await expect(untyped({ roles: [] })).rejects.toThrow("ensure requires root: { common_name }");
    expect((await ca.pki.listIssuers()).keys).toEqual([]);
  });
  it("adds missing resources and leaves existing ones unchanged", async () => {
    const { ca } = authority();
    const { root } = await ca.ensure({ root: wanted.root });
    await ca.pki.writeRole({ name: "web", key_type: "ec", ttl: "1h" });
    const roles = [...(wanted.roles ?? []), { name: "mail" }];
    const { created, root: same } = await ca.ensure({ ...wanted, roles });
    expect(created).toEqual({ root: false, intermediate: true, roles: ["mail"] });
    expect(same.issuer_id).toBe(root.issuer_id);
    expect((await ca.pki.readRole({ name: "web" })).ttl).toBe(3600);
  });
  it("uses an existing unnamed root, unless a name is requested", async () => {
    const { ca } = authority();
    const { issuer_id } = await ca.pki.generateRoot({ common_name: "Old", key_type: "ec" });
    expect((await ca.ensure({ root: wanted.root })).root.issuer_id).toBe(issuer_id);
    const { created } = await ca.ensure({ root: { ...wanted.root, issuer_name: "next" } });
    expect(created.root).toBe(true);
  });
  it("completes what was interrupted by a crash", async () => {
    const { ca } = authority();
    const { root, intermediate } = await ca.ensure(wanted);
    await ca.pki.writeIssuersConfig({ default: root.issuer_id });
    await ca.pki.deleteRole({ name: "web" });
    expect((await ca.ensure(wanted)).created).toEqual({ ...nothing, roles: ["web"] });
    expect((await ca.pki.readIssuersConfig()).default).toBe(intermediate?.issuer_id);
  });
  it("lets only one of several concurrent engines create the root; the others return the same root", async () => {
    const [stores, sealingKey] = [memoryStore(), new Uint8Array(32)];
    const results = await Promise.all(
      Array.from({ length: 5 }, () => createCa({ stores, sealingKey }).ensure(wanted)),
    );
    expect(results.filter(({ created }) => created.root)).toHaveLength(1);
    expect(new Set(results.map(({ root }) => root.issuer_id)).size).toBe(1);
  });
  it("lets only one of several engines with clocks ten minutes apart create the root", async () => {
    const [stores, sealingKey] = [memoryStore(), new Uint8Array(32)];
    const at = clockAt().now;
    const results = await Promise.all(
      [-600_000, 0, 600_000].map((offset) =>
        createCa({ stores, sealingKey, now: () => at + offset }).ensure(wanted),
      ),
    );
    expect(results.filter(({ created }) => created.root)).toHaveLength(1);
    expect(new Set(results.map(({ intermediate }) => intermediate?.issuer_id)).size).toBe(1);
    expect(await stores("sys").get(["lock/ensure/pki"])).toEqual([undefined]);
  });
  it("works on another mount, and over a client of the API", async () => {
    const { ca } = authority();
    await ca.sys.createMount({ path: "team", type: "pki" });
    const team = await ca.ensure({ root: wanted.root, path: "team" });
    expect(team.created.root).toBe(true);
    // a new mount has a maximum lease TTL of 768 h
    expect(team.warnings).toContainEqual(expect.stringContaining("768h"));
    expect((await ca.pki.listIssuers()).keys).toEqual([]);
    expect((await ensureAuthority(ca.pki, wanted)).created.root).toBe(true);
  });
  it("replaces a deleted intermediate and makes the new one the default", async () => {
    const { ca } = authority();
    await ca.ensure(wanted);
    await ca.pki.deleteIssuer({ issuer_ref: "intermediate" });
    const { created, intermediate } = await ca.ensure(wanted);
    expect(created).toEqual({ ...nothing, intermediate: true });
    expect((await ca.pki.readIssuer({ issuer_ref: "default" })).issuer_id).toBe(
      intermediate?.issuer_id,
    );
  });
  it("rejects with the cause and releases its lock", async () => {
    const { ca, stores } = authority();
    const wrong = { ...wanted, roles: [{ name: "web", ttl: "soon" }] };
    await expect(ca.ensure(wrong)).rejects.toMatchObject({ code: "invalid_field" });
    expect(await stores("sys").get(["lock/ensure/pki"])).toEqual([undefined]);
    expect((await ca.ensure(wanted)).created).toEqual({ ...nothing, roles: ["web"] });
  });
});
