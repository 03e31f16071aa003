import { expect } from "vitest";
import type { Answer, Authority } from "../support/authority.ts";
import { statusOf } from "../pki/ocsp/asking.ts";
import { differs, lags, wanted, type ModelIssuer, type SeenList, type World } from "./crl-model.ts";
import { isSigned, note, read, scopeOf, type Scope } from "./crl-world.ts";

/**
 * Reads every CRL of a world through one of its engines, and compares it with the revocations of
 * the model.
 */
export async function judge(world: World, engine: Authority): Promise<void> {
  world.latest = Math.max(world.latest, world.clock.now);
  for (const issuer of world.issuers.values()) {
    if (!issuer.isHere) continue;
    const shards = new Map(
      world.issued.flatMap(({ issuer: name, shard, point, notAfter }) =>
        name === issuer.name && notAfter > world.latest && shard !== undefined
          ? [[shard, point] as const]
          : [],
      ),
    );
    await judgeBoth(world, engine, { issuer, shard: undefined }, `issuer/${issuer.id}/crl/der`);
    for (const [shard, point] of shards) await judgeBoth(world, engine, { issuer, shard }, point);
  }
  expect(world.wrong).toEqual([]);
}
/** Checks a CRL and its delta. */
async function judgeBoth(
  world: World,
  engine: Authority,
  scope: Scope,
  point: string,
): Promise<void> {
  // this may trigger a build of the complete CRL
  const delta = await engine.call("GET", `pki/${point.replace("/crl/", "/crl/delta/")}`);
  const complete = await judgeComplete(world, await engine.call("GET", `pki/${point}`), scope);
  if (complete && world.config.delta) await judgeDelta(world, delta, scope, complete);
}

/** Checks the OCSP status of a certificate at one of the engines. */
export async function judgeStatus(world: World, engine: Authority, n: number): Promise<void> {
  const one = world.issued[n % Math.max(1, world.issued.length)];
  if (!one) return;
  const issuer = world.issuers.get(one.issuer);
  const isKnown = one.state === "good" || one.state === "revoked";
  if (!issuer?.isHere || !isKnown || one.notAfter < world.tidied) return;
  const status = await statusOf(engine, { issuer: issuer.pem, serial: one.serial });
  expect([one.serial, status]).toEqual([
    one.serial,
    one.state === "good" ? "good" : { revokedAt: Math.floor(one.at / 1000), reason: 0 },
  ]);
}

/** Checks a complete CRL: its dates and its entries. */
async function judgeComplete(
  world: World,
  answer: Answer,
  scope: Scope,
): Promise<SeenList | undefined> {
  const { config } = world;
  const { issuer, shard } = scope;
  const isWanted = shard !== undefined || isNeeded(world, issuer);
  const isOff = config.disable || !issuer.signsLists || !isWanted;
  // the issuer could not be created
  if (answer.status === 204 && (isOff || lags(world))) return undefined;
  const what = scopeOf(issuer, shard);
  const all = wanted(world, issuer.name, shard);
  const isTooLong = config.limit >= 0 && all.must.size > config.limit;
  // revocations before the first CRL already exceeded the limit, so that there is no earlier CRL to
  // keep
  if (answer.status === 204 && isTooLong && !world.highest.has(what)) return undefined;
  const list = await judgeList(world, answer, { issuer, what });
  if (isOff || isTooLong) return undefined;
  note(world, answer.bytes, false);
  expect([what, list.number, isNow(world, list)]).toEqual([what, list.number, true]);
  if (!config.auto && !lags(world))
    expect([what, differs(list.listed, all)]).toEqual([what, undefined]);
  return list;
}
/** Reports whether a complete CRL must exist: some unexpired certificate names no shard. */
const isNeeded = (world: World, { name }: ModelIssuer): boolean => {
  const below = world.issuers.get("below");
  return (
    world.config.shards === 0 ||
    (name === "root" && below !== undefined && below.shard === undefined) ||
    world.issued.some(
      ({ issuer, shard, notAfter }) =>
        notAfter > world.latest &&
        (issuer === name ? shard === undefined : issuer === "below" && !below?.isHere),
    )
  );
};

/** Maximum delay until a revocation is on a delta CRL, milliseconds. */
const interval = 900_000;
async function judgeDelta(
  world: World,
  answer: Answer,
  { issuer, shard }: Scope,
  complete: SeenList,
): Promise<void> {
  if (answer.status === 204 && lags(world)) return;
  const of = scopeOf(issuer, shard);
  const delta = await judgeList(world, answer, { issuer, what: `delta of ${of}` });
  note(world, answer.bytes, false);
  const what = `delta ${delta.number} of ${of}`;
  expect([what, isNow(world, delta)]).toEqual([what, true]);
  expect(delta.base, what).toBeLessThanOrEqual(complete.number);
  if (lags(world)) return;
  const { must } = wanted(world, issuer.name, shard);
  const late = world.issued.filter(
    ({ serial, at }) =>
      at + interval <= world.clock.now &&
      must.has(serial) &&
      !complete.listed.has(serial) &&
      !delta.listed.has(serial),
  );
  expect([what, late]).toEqual([what, []]);
}

/** Reports whether a CRL is current. */
const isNow = ({ clock: { now } }: World, { thisUpdate, nextUpdate }: SeenList): boolean =>
  thisUpdate * 1000 <= now && now < nextUpdate * 1000;
/** Checks a CRL: signed by its issuer, and not older than the previous one read. */
async function judgeList(
  world: World,
  { status, bytes }: Answer,
  { issuer, what }: { readonly issuer: ModelIssuer; readonly what: string },
): Promise<SeenList> {
  expect([what, status]).toEqual([what, 200]);
  const { crl, list } = read(world, bytes);
  expect([what, await isSigned(world, crl, issuer)]).toEqual([what, true]);
  expect(list.number, what).toBeGreaterThanOrEqual(world.highest.get(what) ?? 0);
  world.highest.set(what, list.number);
  return list;
}
