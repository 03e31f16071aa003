import { describe, expect, it } from "vitest";
import { authority, clockAt, refusal, seeded, type Authority } from "../support/authority.ts";
import { sealedVault } from "../../src/keys/sealed.ts";
import { decodePem } from "../../src/base/pem.ts";
import type { Row } from "../../src/engine/ports.ts";
import { keyBinding } from "../../src/pki/rows/key-row.ts";
import { derOf, request } from "../pki/reading.ts";

const key = (fill: number) => new Uint8Array(32).fill(fill);
async function storeOf(a: Authority, path = "pki") {
  const { uuid } = (await a.call("GET", `sys/mounts/${path}`)).data as { readonly uuid: string };
  return a.stores(uuid);
}
interface Sealed {
  readonly sealed: Uint8Array;
}

describe("a CA key", () => {
  it("cannot be unsealed after it is swapped with another key of the mount", async () => {
    const a = authority();
    await a.root();
    await a.root({ issuer_name: "two" });
    await a.role("web");
    const store = await storeOf(a);
    const rows = (await store.list("key/")) as readonly (readonly [string, Row<Sealed>])[];
    const [one, two] = rows;
    if (!one || !two) throw new Error("two keys were made");
    await store.commit({
      epoch: "next",
      put: [
        [one[0], { ...one[1].value, sealed: two[1].value.sealed }],
        [two[0], { ...two[1].value, sealed: one[1].value.sealed }],
      ],
    });
    for (const issuer of ["root", "two"]) {
      const answer = await a.call("POST", `pki/issuer/${issuer}/issue/web`, {
        common_name: "a.test",
      });
      expect([answer.status, answer.errors]).toEqual([
        503,
        ["a sealed secret cannot be opened: it was sealed with a different key, or changed"],
      ]);
    }
    expect((await a.pki.listCerts({})).keys).toHaveLength(2);
    await store.commit({
      epoch: "next",
      put: [
        [one[0], one[1].value],
        [two[0], two[1].value],
      ],
    });
    expect((await a.call("POST", "pki/issue/web", { common_name: "a.test" })).status).toBe(200);
  });

  it("cannot be unsealed after it is moved to another mount", async () => {
    const a = authority();
    await a.root();
    await a.sys.createMount({ path: "other", type: "pki" });
    const [from, to] = [await storeOf(a), await storeOf(a, "other")];
    const rows = [
      ...(await from.list("key/")),
      ...(await from.list("issuer/")),
      ...(await from.list("config/issuers")),
    ].map(([name, row]) => [name, row.value] as const);
    await to.commit({ epoch: "next", put: rows });
    a.clock.advance(2);
    await a.ca.mount("other").writeRole({ name: "web", key_type: "ec", allow_any_name: true });
    expect(
      await refusal(a.ca.mount("other").issue({ role: "web", common_name: "a.test" })),
    ).toEqual([
      503,
      "a sealed secret cannot be opened: it was sealed with a different key, or changed",
    ]);
  });

  it("is resealed with the new sealing key, after which the previous one can be removed", async () => {
    const clock = clockAt();
    const old = authority({ clock, vault: sealedVault({ key: key(1), random: seeded(1) }) });
    await old.root();
    await old.role("web");
    const { stores } = old;
    await old.sys.createMount({ path: "other", type: "pki" });
    await old.ca.mount("other").generateRoot({ common_name: "O", key_type: "ed25519" });
    const both = authority({
      clock,
      stores,
      seed: 2,
      vault: sealedVault({ key: key(2), previous: key(1), random: seeded(2) }),
    });
    expect((await both.call("POST", "pki/issue/web", { common_name: "a.test" })).status).toBe(200);
    const early = authority({
      clock,
      stores,
      seed: 3,
      vault: sealedVault({ key: key(2), random: seeded(3) }),
    });
    expect((await early.call("POST", "pki/issue/web", { common_name: "a.test" })).status).toBe(503);
    expect((await early.call("POST", "sys/rotate", {})).status).toBe(503);
    const denied = await both.call("POST", "sys/rotate", {}, { token: "operator" });
    expect([denied.status, denied.errors]).toEqual([
      403,
      ["1 error occurred:\n\t* permission denied\n\n"],
    ]);
    expect((await both.call("POST", "sys/rotate")).data).toEqual({ resealed: 5 });
    const after = authority({
      clock,
      stores,
      seed: 4,
      vault: sealedVault({ key: key(2), random: seeded(4) }),
    });
    expect((await after.call("POST", "pki/issue/web", { common_name: "a.test" })).status).toBe(200);
    expect((await old.call("POST", "pki/issue/web", { common_name: "a.test" })).status).toBe(503);
  });

  it("is resealed when its row is written, so that the previous sealing key cannot open it", async () => {
    const clock = clockAt();
    const old = authority({ clock, vault: sealedVault({ key: key(1), random: seeded(1) }) });
    const { key_id } = await old.root();
    await old.role("web", { no_store: true });
    const { stores } = old;
    const both = authority({
      clock,
      stores,
      seed: 2,
      vault: sealedVault({ key: key(2), previous: key(1), random: seeded(2) }),
    });
    expect((await both.call("POST", `pki/key/${key_id}`, { key_name: "named" })).status).toBe(200);
    const [row] = await (await storeOf(both)).get([`key/${key_id}`]);
    const { uuid } = (await both.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
    const { sealed } = (row as Row<Sealed>).value;
    await expect(
      sealedVault({ key: key(1) }).unseal(sealed, keyBinding(uuid, key_id)),
    ).rejects.toMatchObject({ code: "storage" });
    expect(
      (await sealedVault({ key: key(2) }).unseal(sealed, keyBinding(uuid, key_id))).length,
    ).toBeGreaterThan(100);
    expect((await both.call("POST", "pki/issue/web", { common_name: "a.test" })).status).toBe(200);
  });

  it("security row 85: appears in the store only sealed, and never in the log, an error or a list", async () => {
    const a = authority();
    const replies: string[] = [];
    const asked = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> =>
      (await a.call("POST", path, body)).data;
    const secrets: Uint8Array[] = [];
    for (const [path, body] of [
      [
        "pki/root/generate/exported",
        { common_name: "R", key_type: "ec", private_key_format: "pkcs8" },
      ],
      [
        "pki/root/generate/exported",
        { common_name: "E", key_type: "ed25519", private_key_format: "pkcs8" },
      ],
      [
        "pki/intermediate/generate/exported",
        { common_name: "I", key_type: "ec", key_bits: 384, private_key_format: "pkcs8" },
      ],
    ] as const)
      secrets.push(derOf((await asked(path, body))["private_key"]));
    await a.role("web");
    secrets.push(
      derOf(
        (await asked("pki/issue/web", { common_name: "a.test", private_key_format: "pkcs8" }))[
          "private_key"
        ],
      ),
    );
    const canary = "canary-8f3a";
    for (const body of [
      { csr: canary, common_name: canary },
      { csr: await request({ cn: "a.test" }), format: canary },
      { common_name: canary, ttl: canary },
      { [canary]: 1, csr: "" },
    ]) {
      await a.call("POST", "pki/sign/web", body);
      await a.call("POST", "pki/issue/web", body);
      await a.call("POST", "pki/revoke", { ...body, certificate: canary.repeat(10) });
      await a.call("POST", "pki/issue/web", body, { token: canary });
    }
    for (const path of [
      "pki/issuers?list=true",
      "pki/issuer/default",
      "pki/issuer/default/json",
      "pki/config/issuers",
      "sys/mounts",
      "pki/certs?list=true",
      "pki/roles/web",
    ])
      replies.push((await a.call("GET", path)).text);
    for (const [method, path] of [
      ["GET", "pki/key/default"],
      ["GET", "pki/keys?list=true"],
      ["POST", "pki/keys/x/export"],
    ] as const)
      replies.push((await a.call(method, path, method === "POST" ? {} : undefined)).text);
    const rows = [...(await (await storeOf(a)).list("")), ...(await a.stores("sys").list(""))];
    const bytes = (value: unknown): Uint8Array[] =>
      value instanceof Uint8Array
        ? [value]
        : typeof value === "object" && value !== null
          ? Object.values(value).flatMap(bytes)
          : [new TextEncoder().encode(String(value))];
    const stored = Buffer.concat(rows.flatMap(([, row]) => bytes(row.value)));
    const log = JSON.stringify(a.events, (_, value: unknown) =>
      value instanceof Error ? `${value.message} ${value.stack ?? ""}` : value,
    );
    for (const secret of secrets) {
      // 24 octets of the secret scalar or seed in the PKCS#8 structure
      const scalar = Buffer.from(secret.length > 60 ? secret.slice(36, 60) : secret.slice(-24));
      for (const form of [
        scalar,
        Buffer.from(scalar.toString("base64").slice(0, 28)),
        Buffer.from(scalar.toString("hex")),
      ])
        expect(stored.includes(form)).toBe(false);
      for (const text of [log, ...replies])
        expect([
          text.includes(scalar.toString("hex")),
          text.includes(Buffer.from(secret).toString("base64").slice(50, 80)),
        ]).toEqual([false, false]);
    }
    expect(rows.some(([name]) => name.startsWith("key/"))).toBe(true);
    expect(log).not.toContain(canary);
    for (const text of replies)
      expect(
        decodePem(text.replaceAll("\\n", "\n")).some((block) => block.label.includes("PRIVATE")),
      ).toBe(false);
  });

  it("is returned in a response that is not cached", async () => {
    const a = authority();
    const answer = await a.call("POST", "pki/root/generate/exported", {
      common_name: "R",
      key_type: "ec",
    });
    expect([answer.headers.get("cache-control"), typeof answer.data["private_key"]]).toEqual([
      "no-store",
      "string",
    ]);
  });
});
