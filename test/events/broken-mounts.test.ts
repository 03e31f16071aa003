import { expect, it } from "vitest";
import { memoryStore } from "../../src/index.ts";
import type { Store, Stores } from "../../src/engine/ports.ts";
import { authority } from "../support/authority.ts";
import { receiving, secret, sink } from "./receiver.ts";

/** Returns stores of which one can be broken: its calls go to an empty store, or reject. */
function breakable() {
  const inner = memoryStore();
  const broken: { name?: string; isEmpty?: boolean } = {};
  const of = (name: string): Store => {
    if (broken.name !== name) return inner(name);
    if (broken.isEmpty) return inner("empty");
    throw new Error("disk I/O error");
  };
  const open = (name: string): Store => ({
    get: async (keys) => of(name).get(keys),
    list: async (prefix, page) => of(name).list(prefix, page),
    commit: async (batch) => of(name).commit(batch),
  });
  const stores: Stores = Object.assign(open, { durable: false });
  return { broken, stores };
}

it.each([true, false])(
  "a mount whose store is broken (empty: %s) stops neither sinks nor the events of other mounts",
  async (isEmpty) => {
    const { broken, stores } = breakable();
    const { a, received } = await receiving({ stores });
    await a.sys.createMount({ path: "team", type: "pki" });
    await a.ca.mount("team").writeRole({ name: "web" });
    Object.assign(broken, { name: (await a.sys.readMount({ path: "team" })).uuid, isEmpty });
    a.clock.advance(5);
    const { secret: _, ...without } = sink;
    const made = await a.call("POST", "sys/events/sinks/ops", without);
    expect(made.data).toHaveProperty("secret");
    expect((await a.call("POST", "sys/events/sinks/ops", { ...sink, secret })).status).toBe(200);
    await a.pki.issue({ role: "web", common_name: "a.example" });
    a.clock.advance(10);
    await a.ca.tick();
    await expect.poll(() => received.length).toBe(1);
    expect((await a.call("GET", "sys/events/sinks/ops")).status).toBe(200);
  },
);

it("a mount whose store fails when the last sink is deleted loses its events once the store works", async () => {
  const { broken, stores } = breakable();
  const { a } = await receiving({ stores });
  await a.call("POST", "sys/events/sinks/ops", sink);
  await a.pki.issue({ role: "web", common_name: "a.example" });
  const { uuid } = await a.sys.readMount({ path: "pki" });
  await a.call("DELETE", "sys/events/sinks/ops");
  broken.name = uuid;
  a.clock.advance(10);
  await a.ca.tick();
  delete broken.name;
  expect(await a.stores(uuid).list("event/")).not.toEqual([]);
  a.clock.advance(30);
  await a.ca.tick();
  expect(await a.stores(uuid).list("event/")).toEqual([]);
});

it("a damaged certificate does not stop the expiry events of others", async () => {
  const seen: unknown[] = [];
  const a = authority({
    events: ({ type, data }) =>
      void (
        type === "sealwright.certificate.expiring" &&
        "common_name" in data &&
        seen.push(data.common_name)
      ),
  });
  await a.root();
  await a.role("web");
  await a.ca.tick();
  const issue = (common_name: string) => a.pki.issue({ role: "web", common_name, ttl: "960h" });
  const damaged = await issue("a.example");
  await issue("a.example");
  await issue("b.example");
  const { uuid } = await a.sys.readMount({ path: "pki" });
  const key = `cert/${damaged.serial_number.replaceAll(":", "")}`;
  const [row] = await a.stores(uuid).get([key]);
  const value = row?.value as { readonly der: Uint8Array };
  const index = { not_after: a.clock.now / 1000 + 960 * 3600, name: "a.example" };
  await a.stores(uuid).commit({
    put: [[key, { ...value, der: value.der.slice(0, 40) }, index]],
  });
  a.clock.advance(11 * 86_400);
  await a.ca.tick();
  expect(seen.toSorted()).toEqual(["a.example", "b.example"]);
});
