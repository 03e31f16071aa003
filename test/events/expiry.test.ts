import { expect, it } from "vitest";
import { memoryStore, type CaEvent } from "../../src/index.ts";
import { authority, type AuthorityOptions } from "../support/authority.ts";

const day = 86_400;

/** Creates an authority whose callback collects the expiry events. */
async function watching(options: AuthorityOptions = {}) {
  const events: CaEvent[] = [];
  const a = authority({ ...options, events: (event) => void events.push(event) });
  const expiring = () =>
    events.flatMap(({ type, data }) => {
      if (!type.endsWith(".expiring") || !("days" in data)) return [];
      const about =
        "issuer_name" in data && type.includes("issuer") ? data.issuer_name : data.common_name;
      return [`${about} ${data.days}`];
    });
  return { a, events, expiring };
}
type A = ReturnType<typeof authority>;
const issue = (a: A, common_name: string, days: number) =>
  a.pki.issue({ role: "web", common_name, ttl: `${days * 24}h` });
/** Runs the jobs every six hours for some days. */
async function pass(a: A, days: number): Promise<void> {
  for (let at = 0; at < days * 4; at++) {
    a.clock.advance(day / 4);
    await a.ca.tick();
  }
}

it("a certificate raises one event 30, 7 and 1 days before it expires, and a short-lived one fewer", async () => {
  const { a, events, expiring } = await watching();
  await a.root();
  await a.role("web");
  await a.ca.tick();
  await issue(a, "long.example", 60);
  await issue(a, "short.example", 30);
  await issue(a, "day.example", 1);
  await pass(a, 62);
  expect(expiring().toSorted()).toEqual([
    "long.example 1",
    "long.example 30",
    "long.example 7",
    "short.example 1",
    "short.example 7",
  ]);
  const times = events.flatMap(({ type, data, time }) =>
    type === "sealwright.certificate.expiring" && data.common_name === "long.example"
      ? [(Date.parse(data.not_after) - Date.parse(time)) / 1000 / day]
      : [],
  );
  for (const [at, days] of [30, 7, 1].entries()) {
    expect(times[at]).toBeLessThanOrEqual(days);
    expect(times[at]).toBeGreaterThan(days - 0.26);
  }
});

it("a certificate raises no expiry event if it is replaced or revoked, unless its successor has other names or is revoked", async () => {
  const { a, expiring } = await watching();
  await a.root();
  await a.role("web");
  await a.ca.tick();
  await issue(a, "replaced.example", 40);
  await issue(a, "alone.example", 40);
  const lost = await issue(a, "revoked.example", 40);
  await issue(a, "again.example", 40);
  await pass(a, 5);
  await issue(a, "replaced.example", 90);
  await a.pki.issue({
    role: "web",
    common_name: "alone.example",
    alt_names: "b.example",
    ttl: "2160h",
  });
  await a.pki.revoke({ serial_number: lost.serial_number });
  const successor = await issue(a, "again.example", 90);
  await a.pki.revoke({ serial_number: successor.serial_number });
  await pass(a, 10);
  expect(expiring().toSorted()).toEqual(["again.example 30", "alone.example 30"]);
});

it("each expiry event is raised once, also after a restart and by two engines; after a pause only the last is raised", async () => {
  const stores = memoryStore();
  const { a, expiring } = await watching({ stores });
  await a.root();
  await a.role("web");
  await a.ca.tick();
  for (let n = 0; n < 250; n++) await issue(a, `n${n}.example`, 40);
  await pass(a, 5);
  const other = await watching({ stores, clock: a.clock, seed: 2 });
  a.clock.advance(6 * day);
  await Promise.all([a.ca.tick(), other.a.ca.tick()]);
  const both = [...expiring(), ...other.expiring()];
  expect(both).toHaveLength(250);
  expect(new Set(both).size).toBe(250);
  const third = await watching({ stores, clock: a.clock, seed: 3 });
  a.clock.advance(28.5 * day);
  await third.a.ca.tick();
  expect(third.expiring()).toHaveLength(250);
  expect(third.expiring().every((one) => one.endsWith(" 1"))).toBe(true);
});

it("damaged rows do not hide the expiry events of other certificates", async () => {
  const { a, expiring } = await watching();
  await a.root();
  await a.role("web");
  await a.ca.tick();
  const { uuid } = await a.sys.readMount({ path: "pki" });
  const store = a.stores(uuid);
  const damage = async ({ serial_number }: { readonly serial_number: string }, days: number) => {
    const key = `cert/${serial_number.replaceAll(":", "")}`;
    const [row] = await store.get([key]);
    const value = row?.value as { readonly der: Uint8Array };
    const index = { name: "same.example", not_after: a.clock.now / 1000 + days * day };
    await store.commit({ put: [[key, { ...value, der: value.der.subarray(0, 99) }, index]] });
  };
  await damage(await issue(a, "same.example", 41), 41);
  await issue(a, "same.example", 40);
  // the last row of a full page is damaged too
  for (let n = 0; n < 198; n++) await issue(a, `n${n}.example`, 40);
  await issue(a, "behind.example", 42);
  await pass(a, 15);
  expect(expiring()).toHaveLength(200);
  expect(expiring()).toContain("same.example 30");
  expect(expiring()).toContain("behind.example 30");
});

it("an engine without a callback does not consume the expiry events of one with a callback", async () => {
  const stores = memoryStore();
  const { a, expiring } = await watching({ stores });
  await a.root();
  await a.role("web");
  await a.ca.tick();
  await issue(a, "a.example", 40);
  const plain = authority({ stores, clock: a.clock, seed: 2 });
  a.clock.advance(7200);
  await plain.ca.tick();
  await pass(a, 15);
  expect(expiring()).toEqual(["a.example 30"]);
});

it("an issuer raises its own expiry events until it has a successor", async () => {
  const { a, events, expiring } = await watching();
  const root = await a.root({ ttl: "960h" });
  await a.ca.tick();
  await pass(a, 35);
  expect(expiring()).toEqual(["root 30", "root 7"]);
  expect(events.findLast(({ type }) => type === "sealwright.issuer.expiring")).toMatchObject({
    subject: root.issuer_id,
    data: {
      mount: "pki",
      issuer_id: root.issuer_id,
      issuer_name: "root",
      common_name: "Root CA",
      serial_number: root.serial_number,
      not_after: new Date(root.expiration * 1000).toISOString().replace(".000", ""),
      days: 7,
    },
  });
  await a.root({ issuer_name: "next", ttl: "9600h" });
  await pass(a, 5);
  expect(expiring()).toEqual(["root 30", "root 7"]);
});

it("a failing backup raises one event for each server, also for one that runs no due jobs", async () => {
  const state = { failed: false, succeeded: Date.UTC(2030, 0, 1) };
  const { a, events } = await watching({
    server: { version: "0", started: 0, backup: async () => ({ ...state }) },
  });
  const attempt = async (server: string, failed: boolean) => {
    state.failed = failed;
    await a.ca.run("sys", "event-backup", server);
  };
  await attempt("one", false);
  await attempt("one", true);
  await attempt("two", false);
  await attempt("one", true);
  await attempt("two", true);
  await attempt("one", false);
  const data = { last_success: "2030-01-01T00:00:00Z" };
  expect(events).toMatchObject([
    { type: "sealwright.backup.failed", subject: "one", data },
    { type: "sealwright.backup.failed", subject: "two", data },
  ]);
});
