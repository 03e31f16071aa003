import { expect, it } from "vitest";
import { memoryStore } from "../../src/store/memory.ts";
import type { Authority } from "../support/authority.ts";
import { fresh, gathered, issued, used, uuidOf } from "./backup/kept.ts";

// The log of a restored mount continues after a gap of about a million numbers.

/** Restores the mount `pki` of one deployment into a new one. */
async function restoredFrom(a: Authority): Promise<Authority> {
  const b = fresh({ clock: a.clock });
  await b.ca.restore("pki", await gathered(a.ca.backup("pki")));
  return b;
}
/** Returns the request IDs of the events of the mount `pki` with an endpoint, newest first. */
async function requestsOf(a: Authority, endpoint: string): Promise<readonly unknown[]> {
  const requests: unknown[] = [];
  for (let after = ""; ;) {
    const query = `list=true&limit=150&mount=pki&endpoint=${endpoint}&after=${after}`;
    const { status, data } = await a.call("GET", `sys/audit/events?${query}`);
    if (status === 404) return requests;
    const info = data["key_info"] as Readonly<Record<string, { request: string }>>;
    requests.push(...Object.values(info).map(({ request }) => request));
    after = Object.keys(info).at(-1) ?? "";
  }
}
/** Adds events of the endpoint `x` to the log of changes of the mount `pki`. */
async function addEvents(a: Authority, count: number, name: string): Promise<void> {
  const uuid = await uuidOf(a);
  const event = { endpoint: "x", method: "POST", mount: "pki", path: "/" };
  await a.stores(uuid).commit({
    log: Array.from({ length: count }, (_, n) => {
      const request = `${name}${n}`;
      return ["audit/change/", { ...event, request, time: a.clock.now + n }, 10_000] as const;
    }),
  });
  a.clock.advance(60);
}

it("audit events of a mount: a list includes those from before each of two restores", async () => {
  const a = await used();
  await addEvents(a, 450, "a");
  const b = await restoredFrom(a);
  expect(await requestsOf(b, "x")).toHaveLength(450);
  await addEvents(b, 3, "b");
  const c = await restoredFrom(b);
  await addEvents(c, 201, "c");
  const names = (count: number, name: string) =>
    Array.from({ length: count }, (_, n) => `${name}${count - 1 - n}`);
  expect(await requestsOf(c, "x")).toEqual([
    ...names(201, "c"),
    ...names(3, "b"),
    ...names(450, "a"),
  ]);
});

it("audit events of a mount: counting them after a restore does not read the gap in the numbers", async () => {
  const a = await used();
  await addEvents(a, 450, "a");
  const inner = memoryStore();
  let lists = 0;
  const stores = (name: string) => {
    const { list, ...store } = inner(name);
    return {
      ...store,
      list: ((prefix, page) => {
        if (prefix === "audit/change/") lists += 1;
        return list(prefix, page);
      }) satisfies typeof list,
    };
  };
  const b = fresh({ clock: a.clock, stores });
  await b.ca.restore("pki", await gathered(a.ca.backup("pki")));
  await addEvents(b, 3, "b");
  lists = 0;
  const { data } = await b.call("GET", "sys/audit/counts?mount=pki");
  expect(data["counts"]).toContainEqual(expect.objectContaining({ endpoint: "x", count: 453 }));
  expect(lists).toBeLessThan(20);
});

it("audit sink: after a restore, only the events that were not sent before are waiting", async () => {
  const a = await used();
  const sent = await requestsOf(a, "writeRole");
  expect(sent).toHaveLength(1);
  const b = await restoredFrom(a);
  await b.call("POST", "sys/audit/sink", { url: "https://sink.test/" });
  const uuid = await uuidOf(b);
  const [last] = await a.stores(uuid).get(["logged/audit/change/"]);
  const cursors = { [`${uuid}/change`]: Number(last?.value) };
  await b.stores("sys").commit({ put: [["auditsent", { sent: cursors, count: 0, at: 0 }]] });
  await issued(b);
  await issued(b);
  const { text } = await b.call("GET", "sys/metrics?format=prometheus");
  const waiting = /^sealwright_audit_sink_lag_events (\d+)$/m.exec(text)?.[1];
  const listed = await b.call("GET", "sys/audit/events?list=true");
  // the events of the mount from before the restore were sent
  const unsent = (listed.data["keys"] as readonly string[]).length - Number(last?.value);
  expect([unsent > 2, Number(waiting)]).toEqual([true, unsent]);
});
