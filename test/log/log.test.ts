import { describe, expect, it } from "vitest";
import { equalBytes, fromBase64, toHex } from "../../src/base/bytes.ts";
import { logKeys } from "../../src/log/rows/records.ts";
import { parseCheckpoint } from "../../src/log/tree/checkpoint.ts";
import { isEntryOf, parseBundle, parseEntry } from "../../src/log/tree/entry.ts";
import { digestOf, hashLeaf, hashesIn } from "../../src/log/tree/hash.ts";
import { isSignedBy, parseNote, parseVerifierKey } from "../../src/log/tree/note.ts";
import { provesInclusion } from "../../src/log/tree/proof.ts";
import { appendLeaves, emptyTree, rootOf } from "../../src/log/tree/tiles.ts";
import { authority, refusal, type Authority } from "../support/authority.ts";
import { derOf } from "../pki/reading.ts";

const origin = "ca.test/v1/pki/log";

/** Advances the clock by a second and runs the due jobs. */
async function sequenced(a: Authority): Promise<void> {
  a.clock.advance(1);
  await a.ca.tick();
}
/** Returns the verified checkpoint of a mount's log. */
async function checkpointOf(a: Authority) {
  const { verifier_key } = await a.pki.readLogConfig();
  const key = parseVerifierKey(verifier_key);
  const read = await a.call("GET", "pki/log/checkpoint");
  const note = parseNote(read.text);
  if (!key || !note) throw new Error(`not a signed checkpoint: ${read.text}`);
  expect(await isSignedBy(note, key)).toBe(true);
  const checkpoint = parseCheckpoint(note.text);
  if (!checkpoint) throw new Error(`not a checkpoint: ${note.text}`);
  return checkpoint;
}
/** Returns the entries of a log with at most 256 entries, and verifies its tree. */
async function entriesOf(a: Authority) {
  const { size, root } = await checkpointOf(a);
  const width = size % 256 === 0 ? "" : `.p/${size}`;
  const bundle = await a.call("GET", `pki/log/tile/entries/000${width}`);
  const tile = await a.call("GET", `pki/log/tile/0/000${width}`);
  const entries = parseBundle(bundle.bytes);
  const leaves = entries.map((entry) => hashLeaf(entry));
  expect(hashesIn(tile.bytes).map(toHex)).toEqual(leaves.map(toHex));
  expect(toHex(rootOf(appendLeaves(emptyTree, leaves).edge))).toBe(toHex(root));
  return entries.map(parseEntry);
}

describe("the log of a mount", () => {
  it("is off by default: it stores no rows, and its paths return 404", async () => {
    const a = authority();
    await a.root();
    await a.role("web");
    await a.pki.issue({ role: "web", common_name: "a.test" });
    const uuid = (await a.sys.listMounts())["pki/"]?.uuid ?? "";
    const keys = (await a.stores(uuid).list("")).map(([key]) => key);
    expect(keys.filter((key) => /log-|tlog/.test(key))).toEqual([]);
    expect(await a.pki.readLogConfig()).toEqual({
      enabled: false,
      origin: "",
      public: false,
      entries: "full",
      verifier_key: "",
      witnesses: [],
      witnesses_required: 0,
      ca_pem: "",
    });
    for (const path of ["checkpoint", "tile/0/000.p/1", "tile/entries/000.p/1"])
      expect((await a.call("GET", `pki/log/${path}`)).status).toBe(404);
  });

  it("contains an entry for each certificate, CRL and CSR in commit order, in a signed tree", async () => {
    const a = authority();
    await a.pki.writeLogConfig({ enabled: true, origin });
    expect(await checkpointOf(a)).toMatchObject({ origin, size: 0 });
    expect(await a.pki.readLogCheckpoint()).toContain(`${origin}\n0\n`);
    const root = await a.root();
    await a.role("web");
    const leaf = await a.pki.issue({ role: "web", common_name: "a.test" });
    const { csr } = await a.pki.generateIntermediate({ common_name: "Below", key_type: "ec" });
    await sequenced(a);
    const entries = await entriesOf(a);
    expect(entries.map(({ type }) => type)).toEqual([
      "certificate",
      "crl",
      "certificate",
      "request",
    ]);
    const [first, crl, third, request] = entries;
    expect(first && isEntryOf(first, derOf(root.certificate))).toBe(true);
    expect(third && isEntryOf(third, derOf(leaf.certificate))).toBe(true);
    expect(request && isEntryOf(request, derOf(csr))).toBe(true);
    const list = await a.call("GET", "pki/crl");
    expect(crl && isEntryOf(crl, list.bytes)).toBe(true);
    expect(toHex(third?.number ?? new Uint8Array()).replace(/^00/, "")).toBe(
      leaf.serial_number.replaceAll(":", "").replace(/^00/, ""),
    );
    expect(third && first && equalBytes(third.key, first.key)).toBe(true);
    const { clock } = a;
    await a.pki.issue({ role: "web", common_name: "b.test" });
    clock.advance(0.5);
    await a.ca.tick();
    // at most one checkpoint per interval
    expect((await checkpointOf(a)).size).toBe(4);
    await sequenced(a);
    expect((await checkpointOf(a)).size).toBe(5);
  });

  it("with `entries: hashes`, contains entries that anyone with the certificate can compute", async () => {
    const a = authority();
    await a.pki.writeLogConfig({ enabled: true, origin, entries: "hashes" });
    const root = await a.root();
    await sequenced(a);
    const [entry] = await entriesOf(a);
    expect(entry?.signed).toEqual({ digest: digestOf(derOf(root.certificate)) });
  });

  it("keeps its name, key and tree while disabled, and records changes of its settings", async () => {
    const a = authority();
    expect(await refusal(a.pki.writeLogConfig({ enabled: true }))).toEqual([
      400,
      "origin: required, because the mount has no cluster path: set it to the URL of the log without https://",
    ]);
    for (const bad of ["a b", "a+b", "ä", ""])
      expect((await refusal(a.pki.writeLogConfig({ enabled: true, origin: bad })))[0]).toBe(400);
    await a.pki.writeCluster({ path: "https://ca.example.com/v1/pki/" });
    const first = await a.pki.writeLogConfig({ enabled: true });
    expect(first.origin).toBe("ca.example.com/v1/pki/log");
    await a.root();
    await sequenced(a);
    await a.pki.writeLogConfig({ enabled: false });
    await a.role("web");
    await a.pki.issue({ role: "web", common_name: "unlogged.test" });
    await sequenced(a);
    expect((await checkpointOf(a)).size).toBe(3);
    expect(await refusal(a.pki.writeLogConfig({ origin }))).toEqual([
      409,
      "origin: the log is ca.example.com/v1/pki/log; its name cannot be changed, because monitors identify the log by it",
    ]);
    expect(await a.pki.writeLogConfig({ enabled: true })).toEqual(first);
    await sequenced(a);
    await a.pki.issue({ role: "web", common_name: "logged.test" });
    await sequenced(a);
    await a.pki.writeLogConfig({ entries: "hashes" });
    await a.pki.writeLogConfig({ entries: "hashes", public: true });
    await a.pki.writeLogConfig({ enabled: false, entries: "full" });
    await sequenced(a);
    expect((await entriesOf(a)).map(({ type }) => type)).toEqual([
      "certificate",
      "crl",
      "disabled",
      "enabled",
      "certificate",
      "hashes",
      "disabled",
      "full",
    ]);
  });

  it("requires the read capability unless it is public, and is cacheable only if public", async () => {
    const a = authority();
    await a.pki.writeLogConfig({ enabled: true, origin });
    await a.root();
    await sequenced(a);
    const paths = ["pki/log/checkpoint", "pki/log/tile/0/000.p/2", "pki/log/tile/entries/000.p/1"];
    const read = (token: string) =>
      Promise.all(paths.map((path) => a.call("GET", path, undefined, { token })));
    expect((await read("")).map(({ status }) => status)).toEqual([403, 403, 403]);
    expect((await read("nobody")).map(({ status }) => status)).toEqual([403, 403, 403]);
    const own = await read("reader");
    expect(own.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(own.map(({ headers }) => headers.get("cache-control"))).toEqual(
      Array(3).fill("no-store"),
    );
    await a.pki.writeLogConfig({ public: true });
    const all = await read("");
    expect(all.map(({ bytes }) => toHex(bytes))).toEqual(own.map(({ bytes }) => toHex(bytes)));
    expect(
      all.map(({ headers }) => [headers.get("content-type"), headers.get("cache-control")]),
    ).toEqual([
      ["text/plain; charset=utf-8", "public, max-age=1"],
      ["application/octet-stream", "public, max-age=31536000"],
      ["application/octet-stream", "public, max-age=31536000"],
    ]);
    for (const path of ["0/000", "0/000.p/3", "0/001.p/1", "1/000.p/1", "entries/000", "0/0"])
      expect((await a.call("GET", `pki/log/tile/${path}`)).status, path).toBe(404);
  });

  it("spans several tiles, and has one tree if two servers sequence it concurrently", async () => {
    const a = authority();
    await a.pki.writeLogConfig({ enabled: true, origin, entries: "hashes" });
    await a.root();
    await a.role("web", { no_store: true });
    const { certificate } = await a.pki.generateRoot({ common_name: "Other", key_type: "ec" });
    const crls = Array.from({ length: 260 }, (_, n) =>
      a.pki.signRevocationList({ issuer_ref: "root", crl_number: n }),
    );
    await Promise.all(crls);
    const other = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    a.clock.advance(1);
    await Promise.all([a.ca.tick(), other.ca.tick()]);
    const { size, root } = await checkpointOf(a);
    expect(size).toBe(264);
    const [full, rest] = await Promise.all(
      ["entries/000", "entries/001.p/8"].map((path) => a.call("GET", `pki/log/tile/${path}`)),
    );
    const entries = [full, rest].flatMap((one) => parseBundle(one?.bytes ?? new Uint8Array()));
    const { edge } = appendLeaves(
      emptyTree,
      entries.map((entry) => hashLeaf(entry)),
    );
    expect(toHex(rootOf(edge))).toBe(toHex(root));
    const upper = await other.pki.readLogTile({ tile: "1/000.p/1" });
    expect(toHex(upper ?? new Uint8Array())).toBe(toHex(edge.partial[1] ?? new Uint8Array()));
    expect(entries.some((one) => isEntryOf(parseEntry(one), derOf(certificate)))).toBe(true);
    expect(a.events.filter(({ status }) => status >= 500)).toEqual([]);
  });
});

describe("GET cert/:serial", () => {
  it("returns index, entry and inclusion proof of a sequenced entry to callers who may read the log", async () => {
    const a = authority();
    await a.pki.writeLogConfig({ enabled: true, origin });
    await a.root();
    await a.role("web");
    // with partitions, the entries of a step could be in another order
    await sequenced(a);
    const { serial_number, certificate } = await a.pki.issue({
      role: "web",
      common_name: "a.test",
    });
    const read = (token: string) =>
      a.call("GET", `pki/cert/${serial_number}`, undefined, { token });
    expect(Object.keys((await read("reader")).data)).not.toContain("log_index");
    await sequenced(a);
    expect(Object.keys((await read("")).data)).not.toContain("log_index");
    const { data } = await read("reader");
    expect(data["log_index"]).toBe(2);
    const entry = fromBase64(String(data["log_entry"])) ?? new Uint8Array();
    expect(isEntryOf(parseEntry(entry), derOf(certificate))).toBe(true);
    const [first = "", note = ""] = String(data["log_proof"]).split(/\n\n(.*)/s);
    const [version, index, ...hashes] = first.split("\n");
    expect([version, index]).toEqual(["c2sp.org/tlog-proof@v1", "index 2"]);
    expect(note).toBe((await a.call("GET", "pki/log/checkpoint")).text);
    const [, size, root = ""] = note.split("\n");
    const proof = hashes.map((hash) => fromBase64(hash) ?? new Uint8Array());
    const tree = { size: Number(size), root: fromBase64(root) ?? new Uint8Array() };
    expect(provesInclusion({ leaf: hashLeaf(entry), index: 2, ...tree }, proof)).toBe(true);
    await a.pki.writeLogConfig({ enabled: false });
    expect(Object.keys((await read("reader")).data)).not.toContain("log_index");
  });

  it("finds the entry among others with the same time, and an entry that an earlier version added", async () => {
    const a = authority();
    await a.pki.writeLogConfig({ enabled: true, origin });
    await a.root();
    await a.role("web");
    const issue = (name: string) => a.pki.issue({ role: "web", common_name: name });
    await sequenced(a);
    a.clock.advance(-1);
    const first = await issue("first.test");
    await sequenced(a);
    // all these entries have the same time as those of the first step
    a.clock.advance(-1);
    const names = Array.from({ length: 5 }, (_, n) => `n${n}.test`);
    const later = [];
    for (const name of names) {
      later.push(await issue(name));
      await sequenced(a);
      a.clock.advance(-1);
    }
    a.clock.advance(1);
    const indexOf = async (serial: string): Promise<unknown> =>
      (await a.call("GET", `pki/cert/${serial}`)).data["log_index"];
    const serials = [first, ...later].map(({ serial_number }) => serial_number);
    expect(await Promise.all(serials.map(indexOf))).toEqual([2, 3, 4, 5, 6, 7]);
    const store = a.stores((await a.sys.listMounts())["pki/"]?.uuid ?? "");
    const runs = await store.list("tlog/run/", { values: false });
    const digest = toHex(digestOf(derOf(first.certificate)));
    await store.commit({ del: runs.map(([key]) => key), put: [[logKeys.index(digest), 2]] });
    expect(await Promise.all(serials.map(indexOf))).toEqual([2, ...names.map(() => undefined)]);
  });
});
