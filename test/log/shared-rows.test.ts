import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fromBase64 } from "../../src/base/bytes.ts";
import { entryPrefix } from "../../src/log/rows/records.ts";
import { isEntryOf, parseBundle, parseEntry } from "../../src/log/tree/entry.ts";
import { followLog, type LogSource } from "../../src/log/tree/follow.ts";
import { parseVerifierKey } from "../../src/log/tree/note.ts";
import { sqliteStore } from "../../src/node/index.ts";
import { derOf } from "../pki/reading.ts";
import { authority, type Authority } from "../support/authority.ts";
import { temporaryDirectory } from "../support/server.ts";
import { fresh, gathered } from "../sys/backup/kept.ts";

const folder = temporaryDirectory();
/** Opens a database that is closed at the end of the test. */
function opened(name: string): ReturnType<typeof sqliteStore> {
  const stores = sqliteStore(join(folder, name));
  onTestFinished(() => stores.close());
  return stores;
}

const sourceOf = (a: Authority): LogSource => ({
  checkpoint: async () => (await a.call("GET", "pki/log/checkpoint")).text,
  tile: async (path) => (await a.call("GET", `pki/log/tile/${path}`)).bytes,
});
async function sequenced(a: Authority): Promise<void> {
  a.clock.advance(1);
  await a.ca.tick();
}

it("the log of a mount and its backup support several entries per row, after rows of earlier versions", async () => {
  const a = authority({ stores: opened("log.db") });
  const { verifier_key } = await a.pki.writeLogConfig({ enabled: true, origin: "ca.test/log" });
  const key = parseVerifierKey(verifier_key);
  if (!key) throw new Error(verifier_key);
  await a.root();
  await a.role("web");
  const issue = (n: number) => a.pki.issue({ role: "web", common_name: `h${n}.test` });
  const store = a.stores((await a.sys.listMounts())["pki/"]?.uuid ?? "");
  const entryRows = () => store.list(entryPrefix);
  // separate commits write the same rows as earlier versions
  const issued = [await issue(0), await issue(1), await issue(2)];
  expect((await entryRows()).every(([, { value }]) => value instanceof Uint8Array)).toBe(true);
  await sequenced(a);
  const first = await followLog(sourceOf(a), { key });
  expect([first.fault, first.checkpoint?.size]).toEqual([undefined, 5]);
  issued.push(...(await Promise.all(Array.from({ length: 40 }, (_, n) => issue(3 + n)))));
  const shared = (await entryRows()).filter(([, { value }]) => Array.isArray(value));
  expect(shared.length).toBeGreaterThan(0);
  await sequenced(a);
  const { fault, checkpoint } = await followLog(sourceOf(a), {
    key,
    ...(first.checkpoint ? { previous: first.checkpoint } : {}),
  });
  expect([fault, checkpoint?.size]).toEqual([undefined, 45]);

  const proofs = await Promise.all(
    issued.map(async ({ serial_number, certificate }) => {
      const { data } = await a.call("GET", `pki/cert/${serial_number}`);
      const entry = parseEntry(fromBase64(String(data["log_entry"])) ?? new Uint8Array());
      expect(isEntryOf(entry, derOf(certificate))).toBe(true);
      return Number(data["log_index"]);
    }),
  );
  expect(proofs.toSorted((x, y) => x - y)).toEqual(issued.map((_, at) => 2 + at));
  const bundle = async (width: number) =>
    parseBundle((await a.call("GET", `pki/log/tile/entries/000.p/${width}`)).bytes);
  const all = await bundle(45);
  for (const width of [1, 6, 20, 44]) expect(await bundle(width)).toEqual(all.slice(0, width));

  const b = fresh({ clock: a.clock });
  await b.ca.restore("pki", await gathered(a.ca.backup("pki")));
  await sequenced(b);
  const restored = await followLog(sourceOf(b), {
    key,
    ...(checkpoint ? { previous: checkpoint } : {}),
  });
  // includes the entry that records the restore
  expect([restored.fault, restored.checkpoint?.size]).toEqual([undefined, 46]);
  expect(a.events.filter(({ status }) => status >= 500)).toEqual([]);
});

it("a sequencing step adds all entries of a shared row, even beyond its maximum number of entries", async () => {
  const a = authority({ stores: opened("step.db") });
  await a.pki.writeLogConfig({ enabled: true, origin: "ca.test/log", entries: "hashes" });
  await a.root();
  await a.role("web", { no_store: true });
  const uuid = (await a.sys.listMounts())["pki/"]?.uuid ?? "";
  const store = a.stores(uuid);
  const [row] = await store.list(entryPrefix);
  const bytes = row?.[1].value;
  const entry = [entryPrefix, bytes, undefined, true] as const;
  const commits = Array.from({ length: 9 }, () =>
    store.commit({ log: Array.from({ length: 300 }, () => entry) }),
  );
  await Promise.all(commits);
  await sequenced(a);
  const checkpoint = await a.call("GET", "pki/log/checkpoint");
  expect(checkpoint.text.split("\n")[1]).toBe(String(2 + 9 * 300));
});
