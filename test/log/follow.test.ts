import { describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { CaError } from "../../src/base/errors.ts";
import { encodeCheckpoint, type Checkpoint } from "../../src/log/tree/checkpoint.ts";
import { isEntryOf, type Entry } from "../../src/log/tree/entry.ts";
import { followLog, type LogSource } from "../../src/log/tree/follow.ts";
import { hashLeaf } from "../../src/log/tree/hash.ts";
import { parseVerifierKey, type NoteKey } from "../../src/log/tree/note.ts";
import { derOf } from "../pki/reading.ts";
import { authority, type Authority } from "../support/authority.ts";
import { fresh, gathered } from "../sys/backup/kept.ts";

const origin = "ca.test/v1/pki/log";
const sourceOf = (a: Authority): LogSource => ({
  checkpoint: async () => (await a.call("GET", "pki/log/checkpoint")).text,
  tile: async (path) => (await a.call("GET", `pki/log/tile/${path}`)).bytes,
});
async function logging(): Promise<{ readonly a: Authority; readonly key: NoteKey }> {
  const a = authority();
  const { verifier_key } = await a.pki.writeLogConfig({ enabled: true, origin });
  await a.root();
  await a.role("web");
  const key = parseVerifierKey(verifier_key);
  if (!key) throw new Error(verifier_key);
  return { a, key };
}
async function issued(
  a: Authority,
  name: string,
): Promise<{ readonly certificate: string; readonly serial_number: string }> {
  const leaf = await a.pki.issue({ role: "web", common_name: name });
  a.clock.advance(1);
  await a.ca.tick();
  return leaf;
}

describe("followLog", () => {
  it("verifies the entries added since the previous checkpoint and visits each entry once", async () => {
    const { a, key } = await logging();
    await issued(a, "a.test");
    const seen: (readonly [Entry, number])[] = [];
    const visit = (entry: Entry, index: number): void => void seen.push([entry, index]);
    const first = await followLog(sourceOf(a), { key }, visit);
    expect([first.fault, first.checkpoint?.size, seen.map(([, at]) => at)]).toEqual([
      undefined,
      3,
      [0, 1, 2],
    ]);
    seen.length = 0;
    const { certificate } = await issued(a, "b.test");
    const second = await followLog(sourceOf(a), { key, previous: first.checkpoint }, visit);
    expect([second.fault, second.checkpoint?.size]).toEqual([undefined, 4]);
    expect(seen.map(([entry, at]) => [isEntryOf(entry, derOf(certificate)), at])).toEqual([
      [true, 3],
    ]);
  });

  it("reports a fork, a log that shrank, an invalid signature or a tree mismatch", async () => {
    const { a, key } = await logging();
    await issued(a, "a.test");
    const source = sourceOf(a);
    const faultOf = async (changed: Partial<LogSource>, previous?: Checkpoint, by = key) =>
      (await followLog({ ...source, ...changed }, { key: by, previous })).fault?.kind;
    const { checkpoint } = await followLog(source, { key });
    if (!checkpoint) throw new Error("there is no checkpoint");
    expect(await faultOf({}, checkpoint)).toBeUndefined();
    const other = { ...checkpoint, root: hashLeaf(utf8("other")) };
    expect(await faultOf({}, other)).toBe("fork");
    expect(await faultOf({}, { ...other, size: 2 })).toBe("fork");
    expect(await faultOf({}, { ...checkpoint, size: 4 })).toBe("shrunk");
    expect(await faultOf({}, undefined, { ...key, name: "other.test/log" })).toBe("signature");
    const unsigned = `${encodeCheckpoint(other)}\n\u2014 ${origin} AAAAAAAA\n`;
    for (const text of ["", unsigned])
      expect(await faultOf({ checkpoint: async () => text })).toBe("signature");
    const altered = async (path: string): Promise<Uint8Array> => {
      const bytes = await source.tile(path);
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      return bytes;
    };
    expect(await faultOf({ tile: altered })).toBe("tree");
    expect(await faultOf({ tile: async (path) => (await source.tile(path)).slice(0, -9) })).toBe(
      "tree",
    );
    const fails = followLog(source, { key }, () => {
      throw new CaError("malformed", "a visitor failed");
    });
    await expect(fails).rejects.toThrow("a visitor failed");
  });

  it("reports a restored older backup as shrunk, then as a fork once the restored mount signs again", async () => {
    const { a, key } = await logging();
    await issued(a, "a.test");
    const backup = await gathered(a.ca.backup("pki"));
    await issued(a, "later.test");
    const { checkpoint } = await followLog(sourceOf(a), { key });
    const b = fresh({ clock: a.clock });
    await b.ca.restore("pki", backup);
    const kinds: unknown[] = [];
    for (let n = 0; n < 3; n++) {
      const { fault } = await followLog(sourceOf(b), { key, previous: checkpoint });
      kinds.push(fault?.kind);
      await issued(b, `b${n}.test`);
    }
    expect(kinds).toEqual(["shrunk", "fork", "fork"]);
    // the restored tree itself is valid: its entries continue after the gap in the numbers
    expect((await followLog(sourceOf(b), { key })).fault).toBeUndefined();
  });

  it("visits a `restored` entry after a restore, so that a mount cannot sign unlogged without a trace", async () => {
    const a = authority();
    await a.root();
    await a.role("web");
    const before = await gathered(a.ca.backup("pki"));
    const { verifier_key } = await a.pki.writeLogConfig({ enabled: true, origin });
    const key = parseVerifierKey(verifier_key);
    if (!key) throw new Error(verifier_key);
    await a.pki.issue({ role: "web", common_name: "a.test" });
    // the entry is not in the tree yet, and its job is due at the same time as that of the restore
    const after = await gathered(a.ca.backup("pki"));
    a.clock.advance(1);
    await a.ca.tick();
    const { checkpoint } = await followLog(sourceOf(a), { key });
    const restore = async (backup: readonly Uint8Array[]): Promise<void> => {
      await a.sys.deleteMount({ path: "pki" });
      await a.ca.restore("pki", backup);
    };
    await restore(before);
    await issued(a, "unlogged.test");
    await restore(after);
    a.clock.advance(1);
    await a.ca.tick();
    const types: string[] = [];
    const { fault } = await followLog(sourceOf(a), { key, previous: checkpoint }, ({ type }) => {
      types.push(type);
    });
    expect([fault, types]).toEqual([undefined, ["restored"]]);
  });
});
