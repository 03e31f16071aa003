import { expect } from "vitest";
import type { Answer, Authority } from "../support/authority.ts";
import { statusOf } from "../pki/ocsp/asking.ts";
import { differs, lags, wanted, type ModelIssuer, type SeenList, type World } from "./crl-model.ts";
import { isSigned, note, read } from "./crl-world.ts";

/** Reads every list of a world by one of its engines, and holds it against what was revoked. */
export async function judge(world: World, engine: Authority): Promise<void> {
  for (const issuer of world.issuers.values())
    if (issuer.isHere) {
      // this may have the complete list built anew
      const delta = await engine.call("GET", `pki/issuer/${issuer.id}/crl/delta/der`);
      const complete = await judgeComplete(world, engine, issuer);
      if (complete && world.config.delta) await judgeDelta(world, delta, issuer, complete);
    }
  expect(world.wrong).toEqual([]);
}

/** Asks one of the engines for the status of a certificate. */
export async function judgeStatus(world: World, engine: Authority, n: number): Promise<void> {
  const one = world.issued[n % Math.max(1, world.issued.length)];
  // what is held for OCSP is read from the pages
  if (!one || world.damaged) return;
  const issuer = world.issuers.get(one.issuer);
  const isKnown = one.state === "good" || one.state === "revoked";
  if (!issuer?.isHere || !isKnown || one.notAfter < world.tidied) return;
  const status = await statusOf(engine, { issuer: issuer.pem, serial: one.serial });
  expect([one.serial, status]).toEqual([
    one.serial,
    one.state === "good" ? "good" : { revokedAt: Math.floor(one.at / 1000), reason: 0 },
  ]);
}

/** The complete list of an issuer, where it is to be in its time and of what is revoked. */
async function judgeComplete(
  world: World,
  engine: Authority,
  issuer: ModelIssuer,
): Promise<SeenList | undefined> {
  const { config } = world;
  const answer = await engine.call("GET", `pki/issuer/${issuer.id}/crl/der`);
  // the creation of the issuer failed on its way
  if (answer.status === 204 && (lags(world) || !issuer.signsLists)) return undefined;
  const list = await judgeList(world, answer, { issuer, scope: issuer.name });
  if (!issuer.signsLists || config.disable) return undefined;
  const all = wanted(world, issuer.name);
  if (config.limit >= 0 && all.must.size > config.limit) return undefined;
  note(world, answer.bytes, false);
  expect([issuer.name, list.number, isNow(world, list)]).toEqual([issuer.name, list.number, true]);
  if (!config.auto && !lags(world))
    expect([issuer.name, differs(list.listed, all)]).toEqual([issuer.name, undefined]);
  return list;
}

/** How long a revocation may be on no list where there are deltas, milliseconds. */
const interval = 900_000;
async function judgeDelta(
  world: World,
  answer: Answer,
  issuer: ModelIssuer,
  complete: SeenList,
): Promise<void> {
  if (answer.status === 204 && lags(world)) return;
  const delta = await judgeList(world, answer, { issuer, scope: `delta of ${issuer.name}` });
  note(world, answer.bytes, false);
  const what = `delta ${delta.number} of ${issuer.name}`;
  expect([what, isNow(world, delta)]).toEqual([what, true]);
  expect(delta.base, what).toBeLessThanOrEqual(complete.number);
  if (lags(world)) return;
  const { must } = wanted(world, issuer.name);
  const late = world.issued.filter(
    ({ serial, at }) =>
      at + interval <= world.clock.now &&
      must.has(serial) &&
      !complete.listed.has(serial) &&
      !delta.listed.has(serial),
  );
  expect([what, late]).toEqual([what, []]);
}

/** Whether a list is in its time. */
const isNow = ({ clock: { now } }: World, { thisUpdate, nextUpdate }: SeenList): boolean =>
  thisUpdate * 1000 <= now && now < nextUpdate * 1000;
/** A list that was read: signed by its issuer, and not older than the one that was read before. */
async function judgeList(
  world: World,
  { status, bytes }: Answer,
  { issuer, scope }: { readonly issuer: ModelIssuer; readonly scope: string },
): Promise<SeenList> {
  expect([scope, status]).toEqual([scope, 200]);
  const { crl, list } = read(world, bytes);
  expect([scope, await isSigned(world, crl, issuer)]).toEqual([scope, true]);
  expect(list.number, scope).toBeGreaterThanOrEqual(world.highest.get(scope) ?? 0);
  world.highest.set(scope, list.number);
  return list;
}
