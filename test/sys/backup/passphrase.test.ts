import { expect, it } from "vitest";
import { fromBase64, fromUtf8, toBase64 } from "../../../src/base/bytes.ts";
import { jobRow } from "../../../src/engine/jobs.ts";
import { passphraseRounds, passphraseVault } from "../../../src/keys/passphrase.ts";
import { headOf, lineOf, signerOf, writePart } from "../../../src/sys/backup/part.ts";
import type { Authority } from "../../support/authority.ts";
import { ending, fresh, gathered, issued, used, uuidOf } from "./kept.ts";

const passphrase = "correct horse battery staple";

it("a backup with a passphrase is restored under another sealing key, and the mount signs there", async () => {
  const a = await used();
  await a.pki.writeLogConfig({ enabled: true, origin: "ca.test/log" });
  const serial = await issued(a);
  const parts = await gathered(a.ca.backup("pki", { passphrase }));
  const b = fresh({ sealingKey: new Uint8Array(32).fill(9) });
  await b.ca.restore("pki", parts, { passphrase });
  expect((await b.pki.readCert({ serial })).certificate).toContain("BEGIN");
  await issued(b);
  await b.pki.revoke({ serial_number: serial });
  b.clock.advance(1);
  await b.ca.tick();
  // the transparency log continues with the same key: two certificates and the CRL
  expect(await b.pki.readLogCheckpoint()).toMatch(/^ca\.test\/log\n[3-9]\n/);
});

it("a backup is rejected without its passphrase, or with a wrong one", async () => {
  const a = await used();
  const parts = await gathered(a.ca.backup("pki", { passphrase }));
  expect(await ending(fresh().ca.restore("pki", parts))).toEqual([
    "malformed",
    "the backup is protected by a passphrase: restore it with a tool that asks for the passphrase",
  ]);
  expect(await ending(fresh().ca.restore("pki", parts, { passphrase: `${passphrase}.` }))).toEqual([
    "malformed",
    "wrong passphrase for the backup, or its first line was altered",
  ]);
  await expect(gathered(a.ca.backup("pki", { passphrase: "short" }))).rejects.toBeInstanceOf(
    TypeError,
  );
});

it("a backup with a passphrase contains no secret sealed only with the sealing key", async () => {
  const a = await used();
  await a.pki.writeLogConfig({ enabled: true, origin: "ca.test/log" });
  const own = new TextDecoder().decode((await gathered(a.ca.backup("pki")))[0]);
  const other = new TextDecoder().decode((await gathered(a.ca.backup("pki", { passphrase })))[0]);
  const line = (text: string, key: string) =>
    text.split("\n").find((one) => one.startsWith(`["${key}`));
  for (const key of ["key/", "config/serial", "config/log"]) {
    expect(line(own, key)).toBeDefined();
    expect(line(other, key)).not.toBe(line(own, key));
  }
  expect(line(other, "role/")).toBe(line(own, "role/"));
});

it("a backup of a mount never writes into a store that belongs to no mount", async () => {
  const [salt, key] = [new Uint8Array(16), new Uint8Array(32)];
  const vault = await passphraseVault(passphrase, salt);
  const head = {
    sealwright_backup: 1,
    id: "b",
    part: 1,
    mount: { uuid: "vars", type: "pki", path: "pki" },
    time: 0,
    format: { number: 1 },
    key: toBase64(await vault.seal(key, "vars/backup/b")),
    passphrase: { salt: toBase64(salt), rounds: passphraseRounds },
  } as const;
  const lines = [lineOf({ key: "token/of-an-attacker", value: {} })];
  const b = fresh();
  const part = await writePart(head, lines, true, await signerOf(key));
  expect(await ending(b.ca.restore("other", [part], { passphrase }))).toEqual([
    "malformed",
    "the mount in the backup has an invalid UUID",
  ]);
  expect(await b.stores("vars").list("")).toEqual([]);
});

/** Returns a backup of a mount to which someone who knows the passphrase has added rows. */
async function withRows(
  a: Authority,
  rows: readonly (readonly [key: string, value: unknown])[],
): Promise<readonly Uint8Array[]> {
  const [part = new Uint8Array()] = await gathered(a.ca.backup("pki", { passphrase }));
  const head = headOf(part);
  const salt = fromBase64(head.passphrase?.salt ?? "") ?? new Uint8Array();
  const vault = await passphraseVault(passphrase, salt);
  const sealed = fromBase64(head.key) ?? new Uint8Array();
  const key = await vault.unseal(sealed, `${head.mount.uuid}/backup/${head.id}`);
  const lines = fromUtf8(part)
    .split("\n")
    .slice(1, -3)
    .map((line) => `${line}\n`);
  const added = rows.map(([rowKey, value]) => lineOf({ key: rowKey, value }));
  return [await writePart(head, [...lines, ...added], true, await signerOf(key))];
}

it("a backup of a mount runs no job of the deployment", async () => {
  const a = await used();
  const b = fresh();
  await b.call("POST", "sys/auth/staff", { type: "approle" });
  await b.call("POST", "auth/staff/role/web", { token_policies: "web" });
  const method = (await b.call("GET", "sys/auth/staff")).data;
  const now = a.clock.now;
  const job = `${String(method["uuid"])}.${String(method["accessor"])}`;
  const parts = await withRows(a, [jobRow({ due: now, now }, "method-end", job)]);
  await b.ca.restore("other", parts, { passphrase });
  b.clock.advance(1);
  await b.ca.tick();
  expect((await b.call("GET", "auth/staff/role/web")).status).toBe(200);
});

it("a backup of a mount has no rows of a restore", async () => {
  const a = await used();
  const row = { uuid: "x", type: "pki", path: "sys" };
  const b = fresh();
  const parts = await withRows(a, [
    ["restored/mount", row],
    ["restored/event/000000000000001", {}],
    ["restore", {}],
  ]);
  await b.ca.restore("other", parts, { passphrase });
  const { uuid } = await b.sys.readMount({ path: "other" });
  const rows = new Map(await b.stores(uuid).list(""));
  expect(rows.get("mount")?.value).toMatchObject({ path: "other" });
  expect([...rows.keys()].filter((key) => /^(event|restore)/.test(key))).toEqual([]);
});

it("a backup of a mount never opens secrets that are sealed for another mount", async () => {
  const a = await used();
  const b = await used({ seed: 2 });
  const [uuid, other] = [await uuidOf(a), await uuidOf(b)];
  const [row] = await a.stores(uuid).get(["mount"]);
  const parts = await withRows(a, [["mount", { ...(row?.value as object), uuid: other }]]);
  await b.ca.restore("other", parts, { passphrase });
  const [restored] = await b.stores(uuid).get(["mount"]);
  // the UUID is part of what every secret is sealed with
  expect(restored?.value).toMatchObject({ uuid, type: "pki", path: "other" });
});
