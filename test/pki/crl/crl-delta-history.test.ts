import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/base/bytes.ts";
import type { Batch, Stores } from "../../../src/engine/ports.ts";
import type { CrlRow, DeltaRow, IssuerRow } from "../../../src/pki/rows/records.ts";
import { memoryStore } from "../../../src/store/memory.ts";
import { eachRevoked, parseCrl } from "../../../src/x509/crl.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { print } from "../../support/output.ts";
import { readCrlNumber } from "../../support/crl-number.ts";
import { authority, clockAt, seeded, type Authority } from "../../support/authority.ts";

/** A stored CRL or delta, which a reader may have seen. */
interface Seen {
  readonly id: string;
  readonly row: CrlRow | DeltaRow;
}
/** Two engines over one store that fails occasionally, before or after a commit. */
interface World {
  readonly engines: readonly [Authority, Authority];
  readonly seen: readonly Seen[];
  readonly chance: (max: number) => number;
  /** Expiry of each certificate, Unix milliseconds, by serial number. */
  readonly ends: Map<string, number>;
  /** Certificates whose revocation was acknowledged. */
  readonly gone: Set<string>;
  readonly faults: { on: boolean };
}

function crashing(chance: World["chance"]) {
  const inner = memoryStore();
  const seen: Seen[] = [];
  const faults = { on: false };
  const note = ({ put = [] }: Batch): void => {
    for (const [key, value] of put)
      if (key.startsWith("crlstate/")) {
        const row = value as CrlRow;
        if (seen.some((one) => one.id === key && one.row.number === row.number)) continue;
        seen.push({ id: key, row });
      }
  };
  const stores: Stores = (name) => {
    const store = inner(name);
    return {
      get: (keys) => store.get(keys),
      list: (prefix, page) => store.list(prefix, page),
      commit: async (batch) => {
        if (faults.on && chance(8) === 0) throw new Error("lost before it was stored");
        const done = await store.commit(batch);
        if (done) note(batch);
        if (faults.on && chance(8) === 0) throw new Error("lost after it was stored");
        return done;
      },
    };
  };
  return { stores, seen, faults };
}
async function world(seed: number): Promise<World> {
  const bytes = seeded(seed);
  const chance = (max: number): number => (bytes(1)[0] ?? 0) % max;
  const { stores, seen, faults } = crashing(chance);
  const clock = clockAt();
  const engine = (n: number) => authority({ stores, clock, seed: seed * 2 + n });
  const engines = [engine(0), engine(1)] as const;
  const [a] = engines;
  await a.root();
  await a.role("web");
  await a.pki.writeUrls({ crl_distribution_points: "http://ca.test/v1/pki/crl" });
  await a.pki.writeCrlConfig({ auto_rebuild: true, enable_delta: true, shards: 2 });
  return { engines, seen, chance, ends: new Map(), gone: new Set(), faults };
}

const quietly = async (work: Promise<unknown>): Promise<void> => void (await work.catch(() => {}));
/** The acts of a history; each may be interrupted by a crash. */
const acts: readonly ((w: World, a: Authority) => Promise<unknown>)[] = [
  ...Array.from({ length: 4 }, () => revokeOne),
  (_, a) => a.pki.rotateDeltaCrl({}),
  (_, a) => a.pki.rotateCrl({}),
  (_, a) => a.ca.tick(),
  (_, a) => a.call("GET", "pki/crl/delta"),
  (_, a) => a.pki.tidy({ tidy_revoked_certs: true, safety_buffer: "1s" }),
  async ({ chance }, a) => a.clock.advance(60 * chance(200)),
  async ({ chance }, a) => a.pki.writeCrlConfig({ delta_rebuild_interval: `${1 + chance(90)}m` }),
  async ({ chance }, a) => chance(3) > 0 || (await a.pki.writeCrlConfig({ enable_delta: false })),
  async ({ chance }, a) => a.pki.writeCrlConfig({ shards: [0, 1, 2, 3][chance(4)] ?? 0 }),
  (_, a) => a.pki.writeCrlConfig({ enable_delta: true, disable: false }),
  async ({ chance }, a) => chance(3) > 0 || (await a.pki.writeCrlConfig({ disable: true })),
  async ({ chance }, a) =>
    chance(2) > 0 || (await a.pki.revokeIssuer({ issuer_ref: (await a.intermediate()).id })),
];
const act = async (w: World, a: Authority): Promise<unknown> => acts[w.chance(acts.length)]?.(w, a);
async function revokeOne({ chance, ends, gone, engines }: World, a: Authority): Promise<void> {
  const hours = [2, 50, 9000][chance(3)] ?? 1;
  const { serial_number } = await engines[0].pki.issue({
    role: "web",
    common_name: "a.test",
    ttl: `${hours}h`,
  });
  const serial = serial_number.replaceAll(":", "");
  ends.set(serial, a.clock.now + hours * 3_600_000);
  await a.pki.revoke({ serial_number });
  gone.add(serial);
}

async function read(a: Authority, path: string) {
  const { status, bytes } = await a.call("GET", `pki/${path}`);
  expect([path, status]).toEqual([path, 200]);
  const crl = parseCrl(bytes);
  const numbered = (oid: string) => {
    const found = crl.extensions.find((extension) => extension.oid === oid);
    return found && readCrlNumber(found.value);
  };
  return {
    number: numbered(extensionOid.crlNumber),
    base: numbered(extensionOid.deltaCrlIndicator),
    serials: new Set([...eachRevoked(crl)].map(({ serial }) => toHex(serial))),
  };
}
/**
 * Asserts that a complete CRL plus its delta is the next complete CRL, except for expired and
 * tidied entries.
 */
async function adds(w: World): Promise<void> {
  const [a] = w.engines;
  w.faults.on = false;
  await a.pki.writeCrlConfig({ enable_delta: true, disable: false });
  a.clock.advance(700);
  for (let i = 0; i < 20; i++) await a.ca.tick();
  await a.pki.rotateDeltaCrl({});
  a.clock.advance(1);
  const lists = async () =>
    new Map(
      await Promise.all(
        (await listsOf(a)).map(
          async (path) =>
            [
              path,
              { full: await read(a, `crl${path}`), delta: await read(a, `crl/delta${path}`) },
            ] as const,
        ),
      ),
    );
  const before = await lists();
  await a.pki.rotateCrl({});
  a.clock.advance(1);
  const after = await lists();
  for (const [path, one] of before) {
    const next = after.get(path);
    if (next) addsUp(w, one, next.full.serials);
  }
  const listed = new Set([...after.values()].flatMap(({ full }) => [...full.serials]));
  for (const serial of w.gone)
    if (!hasEnded(w, serial)) expect([serial, listed.has(serial)]).toEqual([serial, true]);
}
const hasEnded = ({ ends, engines }: World, serial: string): boolean =>
  (ends.get(serial) ?? Infinity) <= engines[0].clock.now;
/** Returns the path suffixes of the root's CRLs. */
async function listsOf(a: Authority): Promise<readonly string[]> {
  const { uuid } = (await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
  const store = a.stores(uuid);
  const issuers = (await store.list("issuer/")).map(([, { value }]) => value as IssuerRow);
  const set = issuers.find(({ name }) => name === "root")?.crl_set ?? "";
  const rows = await store.list(`crlstate/${set}`, { values: false });
  return rows.flatMap(([key]) => {
    const [, shard] = /^-(\d+-\d+)$/.exec(key.slice(`crlstate/${set}`.length)) ?? [];
    return key.endsWith(set) ? [""] : shard === undefined ? [] : [`/shard/${shard}`];
  });
}

type Read = Awaited<ReturnType<typeof read>>;
function addsUp(
  w: World,
  { full, delta }: { readonly full: Read; readonly delta: Read },
  next: ReadonlySet<string>,
): void {
  expect(delta.base).toBe(full.number);
  const sum = new Set([...full.serials, ...delta.serials]);
  const left = (serials: ReadonlySet<string>) => [...serials].filter((one) => !hasEnded(w, one));
  expect(left(next).sort()).toEqual(left(sum).sort());
  expect([...next].filter((serial) => !sum.has(serial))).toEqual([]);
  expect([...full.serials].filter((serial) => delta.serials.has(serial))).toEqual([]);
}
/**
 * Asserts that numbers only grow, that none is used twice except by a CRL and its empty delta, and
 * that each delta follows a complete CRL.
 */
function isCounted(seen: readonly Seen[]): void {
  const listOf = ({ id }: Seen): string => id.replace(".delta", "");
  for (const list of new Set(seen.map(listOf))) {
    const states = seen.filter((one) => listOf(one) === list);
    const isEmpty = (row: CrlRow): boolean => "base" in row && row.base === row.number;
    const numbers = states.flatMap(({ row }) => (isEmpty(row) ? [] : [row.number]));
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
    states.forEach(({ id, row }, at) => {
      if (!id.endsWith(".delta")) return;
      const before = states.slice(0, at).filter((one) => one.id === list);
      expect("base" in row && row.base).toBe(before.at(-1)?.row.number);
    });
  }
}

async function play(seed: number): Promise<void> {
  const w = await world(seed);
  for (let round = 0; round < 3; round++) {
    w.faults.on = true;
    for (let step = 0; step < 15; step++) {
      const picked = Array.from({ length: 1 + w.chance(3) }, (_, i) =>
        quietly(act(w, w.engines[i % 2] ?? w.engines[0])),
      );
      await Promise.all(picked);
    }
    await adds(w);
  }
  isCounted(w.seen);
}

describe("complete CRLs and deltas of two engines over one store that loses commits", () => {
  it.each(Array.from({ length: 8 }, (_, seed) => seed))(
    "security row 64, security row 66: have growing numbers, and add up to the next complete CRL, seed %i",
    play,
  );
  it("have growing numbers, and add up to the next complete CRL, from a new seed", async () => {
    const seed = Math.floor(Math.random() * 2 ** 30);
    print(`seed ${seed}`);
    await play(seed);
  });
});
