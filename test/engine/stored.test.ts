import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rowReader } from "../../src/engine/row-reader.ts";
import { roleFields } from "../../src/pki/leaf/role.ts";
import { filesBelow, root } from "../support/syntax.ts";
import { authority, type Authority } from "../support/authority.ts";
import { readCertificate } from "../pki/reading.ts";

/** Rewrites the stored rows of a mount as another version stored them. */
async function rewritten(
  a: Authority,
  change: (key: string, value: Readonly<Record<string, unknown>>) => object | undefined,
): Promise<void> {
  const mounts = (await a.ca.sys.listMounts({})) as unknown as Readonly<
    Record<string, { readonly uuid: string }>
  >;
  const store = a.stores(mounts["pki/"]?.uuid ?? "");
  const rows = (await store.list("")).flatMap(([key, { value }]) => {
    const next =
      typeof value === "object"
        ? change(key, value as Readonly<Record<string, unknown>>)
        : undefined;
    return next ? [[key, next] as const] : [];
  });
  expect(rows.length).toBeGreaterThan(0);
  await store.commit({ epoch: "next", put: rows });
  a.clock.advance(2);
}
const only =
  (...names: readonly string[]) =>
  (value: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
const without = (value: Readonly<Record<string, unknown>>, name: string) =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));

/** Returns a different value of the same type. */
function other(value: unknown): unknown {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 7;
  if (value instanceof Uint8Array) return Uint8Array.of(7);
  if (Array.isArray(value)) return ["other"];
  if (typeof value !== "object" || value === null) return "other";
  return {
    ...Object.fromEntries(Object.entries(value).map(([name, one]) => [name, other(one)])),
    more: "other",
  };
}

describe("a row that was stored before a field existed", () => {
  it("of a role is read with the default of any missing field", async () => {
    const a = authority();
    await a.root();
    await a.role("web", { ttl: "1h" });
    const whole = (await a.call("GET", "pki/roles/web")).data;
    for (const name of Object.keys(roleFields)) {
      await a.role("web", { ttl: "1h" });
      await rewritten(a, (key, value) => (key === "role/web" ? without(value, name) : undefined));
      const plain: Readonly<Record<string, unknown>> = {
        ttl: "0s",
        key_type: "rsa",
        allow_any_name: false,
        key_bits: 0,
        allow_localhost: true,
      };
      expect((await a.call("GET", "pki/roles/web")).data[name], name).toEqual(
        name in plain ? plain[name] : whole[name],
      );
    }
  });

  it("of a role issues and is patched like a complete one", async () => {
    const a = authority();
    await a.root();
    await a.role("web", {});
    await rewritten(a, (key, value) =>
      key === "role/web" ? only("key_type", "allow_any_name", "key_bits")(value) : undefined,
    );
    const { certificate } = await a.pki.issue({
      role: "web",
      common_name: "a.test",
      ip_sans: "192.0.2.1",
    });
    expect(readCertificate(certificate)).toMatchObject({
      usage: ["DigitalSignature", "KeyEncipherment", "KeyAgreement"],
      purposes: ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"],
      names: { dns: ["a.test"], ip: ["192.0.2.1"] },
    });
    expect(await a.pki.patchRole({ name: "web", ou: "Ops" })).toMatchObject({
      ou: ["Ops"],
      allow_localhost: true,
      cn_validations: ["email", "hostname"],
    });
  });

  it("of an issuer, a key or the mount itself does not stop the mount", async () => {
    const a = authority();
    await a.root();
    await a.role("web", { ttl: "1h" });
    await rewritten(a, (key, value) => {
      if (key.startsWith("issuer/"))
        return {
          ...only("id", "key_id", "der", "chain", "crl_set")(value),
          checks: { disable_name_checks: true },
          urls: {},
        };
      if (key.startsWith("key/")) return without(value, "name");
      return key === "mount"
        ? { ...only("uuid", "path", "type")(value), config: { max_lease_ttl: 3600 } }
        : undefined;
    });
    const [id = ""] = (await a.pki.listIssuers({})).keys;
    expect(await a.pki.readIssuer({ issuer_ref: id })).toMatchObject({
      issuer_name: "",
      leaf_not_after_behavior: "err",
      usage: "crl-signing,issuing-certificates,ocsp-signing,read-only",
      disable_name_checks: true,
      disable_path_length_checks: false,
      ocsp_servers: [],
    });
    const { certificate } = await a.pki.issue({
      role: "web",
      common_name: "a.test",
      issuer_ref: id,
    });
    expect((await a.call("GET", "sys/mounts/pki/tune")).data).toMatchObject({
      description: "",
      max_lease_ttl: 3600,
      default_lease_ttl: 3600,
    });
    expect((await a.call("GET", "pki/key/default")).data).toMatchObject({ key_name: "" });
    expect((await a.call("POST", "pki/revoke", { certificate })).status).toBe(200);
  });

  it("gets defaults inside groups of fields, while arrays and bytes stay as stored", () => {
    const read = rowReader({
      list: [1],
      group: { a: 1, b: 2 },
      bytes: new Uint8Array(1),
      none: null as object | null,
    });
    expect(read({ list: [], group: { b: 3 }, more: true })).toEqual({
      list: [],
      group: { a: 1, b: 3 },
      bytes: new Uint8Array(1),
      none: null,
      more: true,
    });
    expect(read({ bytes: new Uint8Array(2), none: { x: 1 } })).toMatchObject({
      bytes: new Uint8Array(2),
      none: { x: 1 },
    });
    for (const odd of [undefined, null, 7, "text", [1], new Uint8Array(3)])
      expect(read(odd)).toEqual(read({}));
  });

  const sources = filesBelow("src", ".ts").map(
    (path) => [path, readFileSync(join(root, path), "utf8")] as const,
  );
  const readers = sources.filter(
    ([, text]) => /^export const stored\w+ =/m.test(text) && text.includes("rowReader<"),
  );

  it("has a reader with defaults, for every type of row", () => {
    const declared = sources.flatMap(([, text]) =>
      [...text.matchAll(/^(?:export )?interface (\w+Row) (?:extends \w+ )?\{/gm)].map(
        ([, name = ""]) => name,
      ),
    );
    const all = sources.map(([, text]) => text).join("");
    expect(declared.length).toBeGreaterThan(60);
    // an alias is part of the row of its entity, a restore reads its own rows, and the others are
    // rows of tables of stores
    const others = ["AliasRow", "DueRow", "ExpiringRow", "ExportedRow", "RestoreRow", "StagedRow"];
    const unread = declared.filter((name) => !all.includes(`rowReader<${name}>(`));
    expect([...new Set(unread)].sort()).toEqual(others);
  });

  it.each(readers)("in %s is read with defaults, whichever field is missing", async (path) => {
    const exported: Readonly<Record<string, unknown>> = await import(join(root, path));
    // the row of a lease requires its key
    const named = Object.entries(exported).filter(
      ([name]) => name.startsWith("stored") && name !== "storedLease",
    );
    const kinds = named.flatMap<readonly [string, unknown]>(([name, one]) =>
      typeof one === "function" ? [[name, one]] : Object.entries(one as object),
    );
    expect(kinds).not.toEqual([]);
    for (const [kind, reader] of kinds) {
      // each reader accepts anything that was stored
      const read = reader as (stored: unknown) => Readonly<Record<string, unknown>>;
      const defaults = read({});
      expect([kind, typeof defaults]).toEqual([kind, "object"]);
      const whole = Object.fromEntries(
        Object.entries(defaults).map(([name, value]) => [name, other(value)]),
      );
      expect([kind, read(whole)]).toEqual([kind, whole]);
      for (const name of Object.keys(defaults)) {
        expect([kind, name, defaults[name]]).not.toEqual([kind, name, undefined]);
        expect([kind, name, read(without(whole, name))]).toEqual([
          kind,
          name,
          { ...whole, [name]: defaults[name] },
        ]);
      }
    }
  });

  it("is read nowhere without its defaults", () => {
    const cast = filesBelow("src", ".ts").filter((path) =>
      /\.value as (?:Partial<)?\w+Row\b/.test(readFileSync(join(root, path), "utf8")),
    );
    expect(cast).toEqual([]);
  });
});
