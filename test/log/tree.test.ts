import { describe, expect, it } from "vitest";
import { concat, fromHex, toHex, utf8 } from "../../src/base/bytes.ts";
import { encodeCheckpoint, parseCheckpoint } from "../../src/log/tree/checkpoint.ts";
import { loggedUse } from "../../src/log/rows/new-entry.ts";
import {
  encodeBundle,
  encodeEntry,
  isEntryOf,
  parseBundle,
  parseEntry,
  parseEntryHead,
} from "../../src/log/tree/entry.ts";
import {
  digestOf,
  emptyRoot,
  hashLeaf,
  hashNode,
  hashLength,
  type Digest,
} from "../../src/log/tree/hash.ts";
import {
  encodeNote,
  encodeVerifierKey,
  isSignedBy,
  parseNote,
  parseVerifierKey,
} from "../../src/log/tree/note.ts";
import {
  consistencyProof,
  inclusionProof,
  provesConsistency,
  provesInclusion,
  rootAt,
} from "../../src/log/tree/proof.ts";
import {
  appendLeaves,
  emptyTree,
  parseTilePath,
  rootOf,
  tilePath,
  tileWidth,
  widthIn,
  type ReadTile,
  type TreeEdge,
} from "../../src/log/tree/tiles.ts";
import { nodeCrypto } from "../../src/node/index.ts";
import { seeded } from "../support/authority.ts";

/** Returns a tree with its tiles, as a server stores them. */
function grown(): {
  readonly add: (leaves: readonly Uint8Array[]) => void;
  readonly edge: () => TreeEdge;
  readonly read: ReadTile;
} {
  let edge = emptyTree;
  const tiles = new Map<string, Uint8Array>();
  return {
    add(leaves) {
      const grown = appendLeaves(edge, leaves);
      edge = grown.edge;
      for (const { level, index, bytes } of grown.full) tiles.set(`${level}/${index}`, bytes);
    },
    edge: () => edge,
    read: async (level, index, width) => {
      const tile = tiles.get(`${level}/${index}`) ?? edge.partial[level] ?? new Uint8Array();
      return tile.subarray(0, width * hashLength);
    },
  };
}
/** The definition of RFC 6962 section 2.1, computed naively. */
function naiveRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves;
  if (!only) return emptyRoot();
  if (leaves.length === 1) return only;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return hashNode(naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split)));
}

describe("the Merkle tree", () => {
  it("has the root hashes of the Certificate Transparency test vectors", () => {
    const inputs = [
      "",
      "00",
      "10",
      "2021",
      "3031",
      "40414243",
      "5051525354555657",
      "606162636465666768696a6b6c6d6e6f",
    ];
    const roots = [
      "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
      "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
      "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
      "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
      "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
      "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
      "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];
    const { add, edge } = grown();
    expect(toHex(rootOf(edge()))).toBe(
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    );
    for (const [at, input] of inputs.entries()) {
      add([hashLeaf(fromHex(input))]);
      expect(toHex(rootOf(edge()))).toBe(roots[at]);
    }
  });

  it("hashes a leaf as SHA-256 of a zero byte and the entry, whatever its length", () => {
    for (const length of [5000, 0, 1, 600, 4094, 4095, 4096, 4097, 1]) {
      const entry = new Uint8Array(length).fill(length & 255);
      const expected = digestOf(concat([Uint8Array.of(0), entry]));
      expect(toHex(hashLeaf(entry)), String(length)).toBe(toHex(expected));
    }
  });

  it("hashes a node as SHA-256 of a one byte and its two children, even if their lengths are wrong", () => {
    for (const [left, right] of [
      [32, 32],
      [33, 31],
      [32, 33],
      [0, 64],
      [32, 32],
    ] as const) {
      const [a, b] = [new Uint8Array(left).fill(left), new Uint8Array(right).fill(7)];
      const expected = digestOf(concat([Uint8Array.of(1), a, b]));
      expect(toHex(hashNode(a, b)), `${left}, ${right}`).toBe(toHex(expected));
    }
  });

  it("computes all hashes with the given digest, and has the same tiles and root", () => {
    const entries = Array.from({ length: 700 }, (_, n) => Uint8Array.of(n >> 8, n & 255));
    let computed = 0;
    const digest: Digest = (bytes) => {
      computed += 1;
      return nodeCrypto.sha256?.(bytes) ?? bytes;
    };
    const leaves = entries.map((entry) => hashLeaf(entry, digest));
    const own = appendLeaves(emptyTree, leaves, digest);
    const other = appendLeaves(
      emptyTree,
      entries.map((entry) => hashLeaf(entry)),
    );
    expect(own.full.map(({ bytes }) => toHex(bytes))).toEqual(
      other.full.map(({ bytes }) => toHex(bytes)),
    );
    expect(toHex(rootOf(own.edge, digest))).toBe(toHex(rootOf(other.edge)));
    // leaves, and the nodes above them
    expect(computed).toBe(700 + 699);
  });

  const seeds = [...Array(200).keys(), ...crypto.getRandomValues(new Uint32Array(50))];
  it(`has the roots and proofs of RFC 6962, and rejects altered proofs (seeds ${seeds.slice(200).join(" ")})`, async () => {
    for (const seed of seeds) {
      const random = seeded(seed);
      const pick = (below: number): number => {
        const [high = 0, low = 0] = random(2);
        return (high * 256 + low) % below;
      };
      const size = 1 + pick(seed % 10 === 0 ? 700 : 70);
      const leaves = Array.from({ length: size }, () => random(hashLength));
      const { add, edge, read } = grown();
      for (let at = 0; at < size;) {
        const count = 1 + pick(40);
        add(leaves.slice(at, at + count));
        at += count;
      }
      const root = naiveRoot(leaves);
      const first = pick(size + 1);
      const before = { size: first, root: naiveRoot(leaves.slice(0, first)) };
      const of = `seed ${seed}, size ${size}`;
      expect(toHex(rootOf(edge())), of).toBe(toHex(root));
      expect(toHex(await rootAt(size, read)), of).toBe(toHex(root));
      const consistency = await consistencyProof(first, size, read);
      expect(provesConsistency(before, { size, root }, consistency), of).toBe(true);
      const index = pick(size);
      const entry = { leaf: leaves[index] ?? root, index, size, root };
      const inclusion = await inclusionProof(index, size, read);
      expect(provesInclusion(entry, inclusion), of).toBe(true);
      const other = random(hashLength);
      expect(provesInclusion({ ...entry, leaf: other }, inclusion), of).toBe(false);
      expect(provesInclusion(entry, [...inclusion, other]), of).toBe(false);
      if (first > 0)
        expect(provesConsistency({ ...before, root: other }, { size, root }, consistency), of).toBe(
          false,
        );
      expect(provesConsistency(before, { size, root }, [...consistency, other]), of).toBe(false);
      if (inclusion.length > 0)
        expect(provesInclusion(entry, [other, ...inclusion.slice(1)]), of).toBe(false);
    }
  });

  it("has the tile widths of tlog-tiles for 70,000 entries", () => {
    const widths = (level: number) => {
      const full = Math.floor(70_000 / tileWidth ** (level + 1));
      return [full, widthIn(70_000, level, full)];
    };
    expect([0, 1, 2].map(widths)).toEqual([
      [273, 112],
      [1, 17],
      [0, 1],
    ]);
    expect(widthIn(256, 1, 0)).toBe(1);
    expect(widthIn(0, 0, 0)).toBe(0);
  });

  it("parses and encodes the tile paths of tlog-tiles, and rejects any other spelling", () => {
    for (const [path, name] of [
      ["0/x001/x234/067", { level: 0, index: 1_234_067, width: 256 }],
      ["63/000.p/1", { level: 63, index: 0, width: 1 }],
      ["entries/x001/000.p/255", { level: "entries", index: 1000, width: 255 }],
    ] as const) {
      expect(parseTilePath(path)).toEqual(name);
      expect(tilePath(name)).toBe(path);
    }
    for (const path of [
      ..." 0 0/0 0/0000 00/000 64/000 0/x000/001 0/x001/x000 0/001/000".split(" "),
      ..."0/000.p/0 0/000.p/256 0/000.p/01 0/000.p x/000 0/000/ -1/000".split(" "),
    ])
      expect(parseTilePath(path), path).toBeUndefined();
  });
});

describe("signed notes", () => {
  const text = "This is an example message.\n";
  const vkey = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
  const line =
    "\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";

  it("verify as in the signed-note example, and do not verify if anything is changed", async () => {
    const key = parseVerifierKey(vkey);
    const note = parseNote(`${text}\n${line}`);
    if (!key || !note) throw new Error("the example cannot be read");
    expect([key.name, note.text, encodeVerifierKey(key), encodeNote(note)]).toEqual([
      "example.com/foo",
      text,
      vkey,
      `${text}\n${line}`,
    ]);
    expect(await isSignedBy(note, key)).toBe(true);
    expect(await isSignedBy({ ...note, text: `${text}x\n` }, key)).toBe(false);
    expect(await isSignedBy(note, { ...key, name: "example.com/fo" })).toBe(false);
    for (const bad of [text, `${text}\n`, `${text}\n${line.slice(0, -1)}`, `${text}\n\u2014 a\n`])
      expect(parseNote(bad), bad).toBeUndefined();
    for (const bad of [vkey.slice(1), vkey.replace("530d", "530e"), `${vkey}AA`, "a+b"])
      expect(parseVerifierKey(bad), bad).toBeUndefined();
  });

  it("can contain a checkpoint with origin, size and root, as in the tlog-checkpoint example", () => {
    const body =
      "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
    const checkpoint = parseCheckpoint(body);
    expect([checkpoint?.origin, checkpoint?.size]).toEqual([
      "example.com/behind-the-sofa",
      20_852_163,
    ]);
    expect(checkpoint && encodeCheckpoint(checkpoint)).toBe(body);
    for (const bad of ["", "a\n01\nx\n", body.replace("20852163", "-1"), body.replace("Cs", "")])
      expect(parseCheckpoint(bad), bad).toBeUndefined();
  });
});

describe("log entries", () => {
  it("are parsed as they were encoded, with the DER or its digest, and rejected if malformed", () => {
    const der = utf8("the certificate");
    const common = { type: "certificate", time: 1_893_553_445_000, key: digestOf(der) } as const;
    for (const signed of [{ der }, { digest: digestOf(der) }]) {
      const entry = { ...common, number: Uint8Array.of(0x81, 2), signed };
      const bytes = encodeEntry(entry);
      expect(parseEntry(bytes)).toEqual({ ...entry, number: Uint8Array.of(0, 0x81, 2) });
      expect(parseEntryHead(bytes)).toEqual({
        time: entry.time,
        key: entry.key,
        number: Uint8Array.of(0, 0x81, 2),
      });
      expect([isEntryOf(entry, der), isEntryOf(entry, utf8("another"))]).toEqual([true, false]);
      expect(() => parseEntry(concat([bytes, Uint8Array.of(0)]))).toThrow();
    }
    const { number } = parseEntry(encodeEntry({ ...common, type: "request", signed: { der } }));
    expect(number).toBeUndefined();
    const mark = encodeEntry({ ...common, type: "disabled", signed: { der: new Uint8Array() } });
    expect(parseEntryHead(mark)).toEqual({ time: common.time, key: common.key });
    expect(() => parseEntry(fromHex("30030a0109"))).toThrow("unknown type 9");
  });

  it("omit a number longer than a serial number, and must not exceed 65535 bytes", () => {
    const spki = utf8("a key");
    const signer = { spki, platform: true, sign: async () => new Uint8Array() };
    const log = { entries: "full", now: () => 1 } as const;
    const numberOf = (length: number) => {
      const number = new Uint8Array(length).fill(1);
      const use = { type: "certificate", number } as const;
      const [, bytes] = loggedUse(signer, use, utf8("der"), log).entry;
      return bytes instanceof Uint8Array ? parseEntry(bytes).number?.length : "no bytes";
    };
    expect([20, 21, 22, 33_000].map(numberOf)).toEqual([20, 21, undefined, undefined]);
    const long = { der: new Uint8Array(0xffff) };
    const entry = { type: "request", time: 1, key: digestOf(spki), signed: long } as const;
    expect(() => encodeEntry(entry)).toThrow(
      /^log entry: must be at most 65535 bytes, got 65\d{3}$/,
    );
  });

  it("are bundled with length prefixes, and a truncated bundle is rejected", () => {
    const entries = [utf8("a"), new Uint8Array(300), new Uint8Array()];
    const bundle = encodeBundle(entries);
    expect([bundle.length, bundle.subarray(3, 5)]).toEqual([307, Uint8Array.of(1, 44)]);
    expect(parseBundle(bundle)).toEqual(entries);
    for (const short of [bundle.subarray(0, 302), bundle.subarray(0, -1)])
      expect(() => parseBundle(short)).toThrow("truncated");
  });
});
