import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { partsIn } from "../../src/sys/backup/part.ts";
import { keysOf, numberOf } from "../support/data-0.2/answers.ts";
import { done, memberAt, type Ask, type Json } from "../support/data-0.2/ask.ts";
import { fullBackup, mountBackup, recording, writeDataDir } from "../support/data-0.2/fixture.ts";
import { openDataDir } from "../support/data-0.2/imported.ts";

const folder = mkdtempSync(join(tmpdir(), "sealwright-old-backups-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { now, address, answers } = recording();

/** Creates an unused authority with the secrets of a data directory. */
function empty(secrets: Readonly<Record<string, string | Uint8Array>>) {
  const dataDir = mkdtempSync(join(folder, "data-"));
  for (const [name, secret] of Object.entries(secrets)) writeFileSync(join(dataDir, name), secret);
  return openDataDir(dataDir, { now, address });
}
/** Sends a backup as the command `restore` does. */
async function restore(ask: Ask, path: string, backup: Uint8Array): Promise<void> {
  const headers = { "content-type": "application/octet-stream" };
  for (const to of ["snapshot-check", path])
    for await (const body of partsIn([new Uint8Array(backup)]))
      await done(ask, "POST", `sys/storage/${to}`, { body, headers });
}

it("a backup of a mount by version 0.2 can be restored", async () => {
  const old = mkdtempSync(join(folder, "old-"));
  writeDataDir(old, "stopped");
  const { send, close } = openDataDir(old, { now, address });
  await restore(send, "snapshot/team/ca", mountBackup());
  const certificates = keysOf(await send("GET", "team/ca/certs?list=true"));
  expect(certificates).toEqual(memberAt(answers["team/ca/certs?list=true"], "data.keys"));
  const recorded = answers["team/ca: CRLs"] as Readonly<Record<string, readonly [number]>>;
  await done(send, "GET", "team/ca/crl/rotate");
  const crl = await done(send, "GET", "team/ca/crl", { token: "" });
  expect(numberOf(crl.bytes)).toBeGreaterThan(recorded["crl"]?.[0] ?? Infinity);
  const issued = await send("POST", "team/ca/issue/device", {
    body: { common_name: "a.example.com", ttl: "1h" },
  });
  expect(issued.status).toBe(200);
  close();
});

it("a complete backup by version 0.2 can be restored", async () => {
  const files = fullBackup();
  const secrets = {
    "sealing-key": files["sealing-key"] ?? "",
    "vars-token": files["vars-token"] ?? "",
    "root-token": "s.the-root-token-of-another-server",
  };
  const { send, close } = empty(secrets);
  for (const [file, path] of [
    ["store-sys.ndjson", "stores/sys"],
    ["store-vars.ndjson", "stores/vars"],
    ["mount-pki.ndjson", "snapshot/pki"],
    ["mount-team%2Fca.ndjson", "snapshot/team/ca"],
  ] as const)
    await restore(send, path, files[file] ?? new Uint8Array());
  for (const mount of ["pki", "team/ca"]) {
    expect(keysOf(await send("GET", `${mount}/certs?list=true`))).toHaveLength(2);
    expect(keysOf(await send("GET", `${mount}/certs/revoked?list=true`))).toHaveLength(1);
    const issued = await send("POST", `${mount}/issue/web`, {
      body: { common_name: "a.example.com", ttl: "1h" },
    });
    expect(issued.status).toBe(200);
  }
  const token = Buffer.from(secrets["vars-token"]).toString();
  const spaces = await done(send, "GET", "/api/v2/organizations/default/workspaces", { token });
  expect((spaces.json["data"] as readonly Json[]).length).toBe(2);
  const health = await send("GET", "sys/health", { token: "" });
  expect(health.json["degraded"]).toBeUndefined();
  close();
});
