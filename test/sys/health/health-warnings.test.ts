import { expect, it } from "vitest";
import { authority } from "../../support/authority.ts";

const day = 86_400;
const warningsOf = async ({ call }: Pick<ReturnType<typeof authority>, "call">) =>
  (await call("GET", "sys/health", undefined, { token: "" })).json["warnings"];
const expires = (days: number) =>
  `An issuer expires in less than ${days} days: create a successor and make it the default.`;

it("sys/health warns 90, 30 and 7 days before an issuer expires, and afterwards", async () => {
  const a = authority();
  await a.call("POST", "pki/config/crl", { disable: true });
  const { issuer_id } = await a.root({ ttl: "400d" });
  const seen: unknown[] = [];
  for (const days of [309, 2, 60, 23, 5, 2]) {
    a.clock.advance(days * day);
    seen.push(await warningsOf(a));
  }
  expect(seen.slice(0, 4)).toEqual([undefined, [expires(90)], [expires(30)], [expires(7)]]);
  expect(seen.slice(4)).toEqual([
    [expires(7)],
    [expect.stringMatching(/^An issuer has expired: create a successor/)],
  ]);
  await a.call("POST", `pki/issuer/${issuer_id}`, { usage: "read-only" });
  a.clock.advance(1);
  expect(await warningsOf(a)).toBeUndefined();
});

it("sys/health does not warn of an issuer whose successor is the default issuer", async () => {
  const a = authority();
  await a.call("POST", "pki/config/crl", { disable: true });
  await a.root({ ttl: "400d" });
  a.clock.advance(393 * day);
  const successor = await a.root({ issuer_name: "next", ttl: "1000d" });
  a.clock.advance(1);
  expect(await warningsOf(a)).toEqual([expires(7)]);
  await a.call("POST", "pki/config/issuers", { default: "next" });
  for (const days of [1, 60]) {
    a.clock.advance(days * day);
    expect(await warningsOf(a)).toBeUndefined();
  }
  await a.call("POST", `pki/issuer/${successor.issuer_id}/revoke`);
  a.clock.advance(1);
  expect(await warningsOf(a)).toEqual([
    expect.stringMatching(/^An issuer has expired: create a successor/),
  ]);
});

it("sys/health warns in the last third of the lifetime of a short-lived issuer", async () => {
  const a = authority();
  await a.root({ ttl: "30d" });
  a.clock.advance(19 * day);
  await a.ca.tick();
  expect(await warningsOf(a)).toBeUndefined();
  a.clock.advance(2 * day);
  await a.ca.tick();
  expect(await warningsOf(a)).toEqual([expires(30)]);
});

it("sys/health warns of a job that keeps failing or does not run, until it is done", async () => {
  const a = authority();
  await a.root();
  const { uuid } = await a.sys.readMount({ path: "pki" });
  const due = a.clock.now + 1;
  const job = (failed?: number) => [
    `job/${String(due).padStart(15, "0")}/tidy/x`,
    { kind: "tidy", id: "x", planned: a.clock.now, ...(failed ? { failed } : {}) },
  ];
  const [key, value] = job() as [string, unknown];
  await a.stores(uuid).commit({ put: [[key, value]] });
  a.clock.advance(14 * 60);
  expect(await warningsOf(a)).toBeUndefined();
  a.clock.advance(2 * 60);
  expect(await warningsOf(a)).toEqual(["A background job is more than 15 minutes late."]);
  await a.stores(uuid).commit({ put: [[key, job(5)[1]]] });
  a.clock.advance(1);
  expect(await warningsOf(a)).toEqual(["A background job keeps failing; the log says why."]);
  await a.stores(uuid).commit({ del: [key] });
  a.clock.advance(1);
  expect(await warningsOf(a)).toBeUndefined();
});
