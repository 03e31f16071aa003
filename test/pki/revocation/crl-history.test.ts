import fc from "fast-check";
import { expect, it } from "vitest";
import { toHex } from "../../../src/base/bytes.ts";
import type { Store } from "../../../src/engine/ports.ts";
import { eachRevoked, parseCrl } from "../../../src/x509/crl.ts";
import { readCrlNumber } from "../../support/crl-number.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { authority, start, type Authority } from "../../support/authority.ts";

const hour = 3600;
/** What may happen; `n` says how often, how far, or to which. */
const history = fc.array(
  fc.record({
    does: fc.constantFrom(
      "issue",
      "revoke",
      "revoke",
      "rotate",
      "ahead",
      "ahead",
      "back",
      "tick",
      "auto",
      "expiry",
      "damage",
    ),
    n: fc.nat({ max: 100_000 }),
  }),
  { minLength: 5, maxLength: 15 },
);
interface World {
  readonly a: Authority;
  readonly store: Store;
  readonly live: string[];
  readonly gone: string[];
  auto: boolean;
  /** Of the list that was read last. */
  number: number;
  listed: readonly string[];
}
async function begin(): Promise<World> {
  const a = authority();
  await a.root();
  await a.role("web", { max_ttl: "30000h" });
  const { uuid } = (await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
  return { a, store: a.stores(uuid), live: [], gone: [], auto: false, number: 0, listed: [] };
}

async function issue({ a, live }: World): Promise<void> {
  live.push(
    (await a.pki.issue({ role: "web", common_name: "a.test", ttl: "30000h" })).serial_number,
  );
}
const acts: Readonly<Record<string, (world: World, n: number) => Promise<unknown> | void>> = {
  issue,
  revoke: async (world, n) => {
    if (world.live.length === 0) await issue(world);
    const [serial_number = ""] = world.live.splice(n % world.live.length, 1);
    await world.a.pki.revoke({ serial_number });
    world.gone.push(serial_number.replaceAll(":", ""));
  },
  rotate: ({ a }) => a.pki.rotateCrl({}),
  // a second to four hundred days
  ahead: ({ a: { clock } }, n) => clock.advance(n % 3 === 0 ? n % 60 : n * 345),
  // never before there was a root
  back: ({ a: { clock } }, n) => void (clock.now = Math.max(start, clock.now - n * 345_000)),
  tick: ({ a }) => a.ca.tick(),
  auto: async (world) => {
    world.auto = !world.auto;
    await world.a.pki.writeCrlConfig({ auto_rebuild: world.auto, auto_rebuild_grace_period: "1h" });
  },
  expiry: ({ a }, n) =>
    a.pki.writeCrlConfig({ expiry: `${2 + (n % 500)}h`, auto_rebuild_grace_period: "1h" }),
  damage: async ({ store }, n) => {
    const [page] = await store.list("crlpage/");
    if (!page) return;
    // pages hold bytes
    const bytes = page[1].value as Uint8Array;
    await store.commit({
      put: [
        [page[0], bytes.map((byte, i) => (i === n % bytes.length ? byte ^ (1 << (n % 8)) : byte))],
      ],
    });
  },
};

/** Reads the list and holds it against what was revoked. */
async function judge(world: World): Promise<void> {
  const { a, gone, auto } = world;
  const crl = parseCrl((await a.pki.readCrl({}))?.bytes ?? new Uint8Array(0));
  const now = a.clock.now / 1000;
  const number = readCrlNumber(
    crl.extensions.find(({ oid }) => oid === extensionOid.crlNumber)?.value ?? new Uint8Array(0),
  );
  const listed = [...eachRevoked(crl)].map(({ serial }) => toHex(serial)).sort();
  expect(crl.thisUpdate).toBeLessThanOrEqual(now);
  expect(crl.nextUpdate).toBeGreaterThan(now);
  expect(number).toBeGreaterThanOrEqual(world.number);
  if (number === world.number) expect(listed).toEqual(world.listed);
  // gathered until the list is due: none that was listed goes, and none comes that was not revoked
  if (auto)
    expect([
      world.listed.filter((one) => !listed.includes(one)),
      listed.filter((one) => !gone.includes(one)),
    ]).toEqual([[], []]);
  else expect(listed).toEqual(gone.toSorted());
  Object.assign(world, { number, listed });
}

async function hold(seed: number, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(history, async (steps) => {
    const world = await begin();
    for (const { does, n } of steps) {
      await acts[does]?.(world, n);
      await judge(world);
    }
    world.a.clock.advance(1000 * hour);
    await judge(world);
    expect(world.listed).toEqual(world.gone.toSorted());
  });
  await fc.assert(property, { seed, numRuns });
}

it("whatever is issued, revoked, built and damaged while the clock jumps ahead and back, every read is a list in its time of exactly what is revoked", async () => {
  await hold(20_261_122, 200);
  const seed = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
  process.stdout.write(`seed ${seed}\n`);
  await hold(seed, 50);
});
