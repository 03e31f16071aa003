import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { storeChecks } from "../../src/conformance/index.ts";
import { createCa } from "../../src/index.ts";
import { fileKey, sqliteStore } from "../../src/node/index.ts";
import { sqliteFiles } from "../support/sqlite-files.ts";

// other runtimes with node:sqlite run this file too (test/interop/runtimes.sh)
const folder = mkdtempSync(join(tmpdir(), "sealwright-runtime-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const stores = sqliteFiles(folder, 4);
let opened = 0;

/** Deno 2.9 truncates text that it reads at NUL; no key of an authority contains one. */
const cut = "Deno" in globalThis ? ["whatever characters their keys have"] : [];
for (const { name, run } of storeChecks(() => stores()(`${(opened += 1)}`), { sequences: 10 }))
  it.skipIf(cut.some((text) => name.includes(text)))(name, run);

it("an authority continues after its file was closed", async () => {
  const [file, key] = [join(folder, "ca.db"), join(folder, "ca.key")];
  const first = sqliteStore(file);
  const ca = createCa({ stores: first, sealingKey: fileKey(key) });
  await ca.pki.generateRoot({ common_name: "Root", key_type: "ec" });
  await ca.pki.writeRole({ name: "web", key_type: "ec", allow_any_name: true });
  first.close();
  const again = createCa({ stores: sqliteStore(file), sealingKey: fileKey(key) });
  const leaf = await again.pki.issue({ role: "web", common_name: "a.test", ttl: "1h" });
  expect(leaf.certificate).toContain("BEGIN CERTIFICATE");
  expect(statSync(key).mode & 0o777).toBe(0o600);
});
