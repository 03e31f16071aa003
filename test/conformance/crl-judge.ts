import { expect } from "vitest";
import type { Authority } from "../support/authority.ts";
import { statusOf } from "../pki/ocsp/asking.ts";
import { differs, lags, wanted, type ModelIssuer, type World } from "./crl-model.ts";
import { isSigned, note, read } from "./crl-world.ts";

/** Reads every list of a world by one of its engines, and holds it against what was revoked. */
export async function judge(world: World, engine: Authority): Promise<void> {
  for (const issuer of world.issuers.values())
    if (issuer.isHere) await judgeComplete(world, engine, issuer);
  expect(world.wrong).toEqual([]);
}

/** Asks one of the engines for the status of a certificate. */
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

async function judgeComplete(world: World, engine: Authority, issuer: ModelIssuer): Promise<void> {
  const { config } = world;
  const answer = await engine.call("GET", `pki/issuer/${issuer.id}/crl/der`);
  // the creation of the issuer failed on its way
  if (answer.status === 204 && (lags(world) || !issuer.signsLists)) return;
  expect(answer.status).toBe(200);
  const { crl, list } = read(world, answer.bytes);
  expect(await isSigned(world, crl, issuer)).toBe(true);
  const what = `${issuer.name} ${list.number}`;
  const highest = world.highest.get(issuer.name) ?? 0;
  expect(list.number, what).toBeGreaterThanOrEqual(highest);
  world.highest.set(issuer.name, list.number);
  if (!issuer.signsLists || config.disable) return;
  const all = wanted(world, issuer.name);
  if (config.limit >= 0 && all.must.size > config.limit) return;
  note(world, answer.bytes, false);
  const now = world.clock.now / 1000;
  expect([what, crl.thisUpdate <= now, (crl.nextUpdate ?? 0) > now]).toEqual([what, true, true]);
  if (config.auto || lags(world)) return;
  expect(differs(list.listed, all), what).toBeUndefined();
}
