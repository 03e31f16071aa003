import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { sqliteStore } from "../../src/node/index.ts";
import { authority, clockAt } from "../support/authority.ts";
import { now } from "../net/tls-fixture.ts";
import { receiver, sink } from "./receiver.ts";

const folder = mkdtempSync(join(tmpdir(), "sealwright-events-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("two engines on one SQLite file deliver each event once, and raise each expiry once", async () => {
  const file = join(folder, "events.db");
  const { received, ports } = await receiver();
  const clock = clockAt(now * 1000);
  const engine = (seed: number) => authority({ stores: sqliteStore(file), clock, seed, ...ports });
  const [a, b] = [engine(1), engine(2)];
  const later = async (seconds: number) => {
    clock.advance(seconds);
    await Promise.all([a.ca.tick(), b.ca.tick()]);
  };
  await a.root();
  await a.role("web");
  await a.call("POST", "sys/events/sinks/ops", sink);
  await later(10);
  const names = Array.from({ length: 8 }, (_, n) => `n${n}.example`);
  await Promise.all(
    names.map((common_name, n) =>
      (n % 2 === 0 ? a : b).pki.issue({ role: "web", common_name, ttl: "722h" }),
    ),
  );
  const delivered = (count: number) =>
    expect
      .poll(async () => (await later(10), (await a.call("GET", "sys/events/sinks/ops")).data))
      .toMatchObject({ waiting: 0, lost: 0, delivered: count });
  // a delivery in progress would count as crashed after so long
  await delivered(names.length);
  await later(9000);
  await delivered(2 * names.length);
  for (const type of ["issued", "expiring"]) {
    const some = received.filter(({ event }) => event.type === `sealwright.certificate.${type}`);
    // one engine at a time delivers, so that nothing is sent twice unless one crashes
    const subjects = some.map(({ event: { data } }) => "common_name" in data && data.common_name);
    expect(subjects.toSorted()).toEqual(names);
  }
});
