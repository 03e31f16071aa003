import { expect, it } from "vitest";
import { tokenRenewal } from "../../server/cli/token-renewal.ts";
import { tokenWorld, type TokenWorld } from "../auth/token/world.ts";
import { connectedTo } from "./connected.ts";

/** Renews a token for some seconds, and returns the reports and whether the token is still valid. */
async function maintained(world: TokenWorld, token: string, seconds: number) {
  const { ca, clock } = world;
  const reports: string[] = [];
  const end = clock.now + seconds * 1000;
  const renew = tokenRenewal({ now: () => clock.now, report: (text) => void reports.push(text) });
  let calls = 0;
  while (clock.now < end) {
    const next = await renew({ name: "ca.test", token, send: connectedTo(ca, token).send });
    calls++;
    expect(next).toBeGreaterThan(clock.now);
    clock.now = Math.min(next, end);
  }
  return { reports, calls, lives: await world.lives(token) };
}

it("token renewal keeps a periodic token valid, renewing it at half of its lifetime", async () => {
  const world = tokenWorld();
  const { client_token } = await world.create({ period: "1h", policies: ["default"] });
  const { reports, calls, lives } = await maintained(world, client_token, 24 * 3600);
  expect([reports, lives]).toEqual([[], true]);
  expect(calls).toBeGreaterThan(40);
  expect(calls).toBeLessThan(60);
});

it("token renewal reports once, before the expiry, that a token can no longer be renewed", async () => {
  const world = tokenWorld();
  const limited = { ttl: "1h", explicit_max_ttl: "3h", policies: ["default"] };
  const { client_token } = await world.create(limited);
  const { reports, lives } = await maintained(world, client_token, 2.9 * 3600);
  expect(reports).toEqual([
    "The token for ca.test expires at 2030-01-02 06:04 UTC and cannot be renewed; log in again before that.",
  ]);
  expect(lives).toBe(true);
  const later = await maintained(world, client_token, 3600);
  expect(later.reports.at(-1)).toMatch(/^ca\.test rejected the token: .* Log in again\.$/);
  expect(later.reports).toHaveLength(2);
});

it("token renewal does not ask the owner of a valid token without the default policy to log in again", async () => {
  const world = tokenWorld();
  const { client_token } = await world.create({
    ttl: "1h",
    policies: ["issue"],
    no_default_policy: true,
  });
  const { reports } = await maintained(world, client_token, 1800);
  expect(reports).toEqual([
    "The token for ca.test cannot be renewed: permission denied. Its policies must allow auth/token/lookup-self and auth/token/renew-self, as the default policy does.",
  ]);
});

it("token renewal ignores a token that does not expire, and an empty one", async () => {
  const world = tokenWorld();
  expect((await maintained(world, "root", 3600)).calls).toBe(1);
  expect(await maintained(world, "", 3600)).toMatchObject({ calls: 1, reports: [] });
});
