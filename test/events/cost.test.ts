import { expect, it } from "vitest";
import type { Batch, Store, Stores } from "../../src/engine/ports.ts";
import { memoryStore } from "../../src/index.ts";
import { authority, type Authority } from "../support/authority.ts";
import { sink } from "./receiver.ts";

/** Recorded calls of stores: reads as texts, commits as batches. */
interface Calls {
  readonly reads: string[];
  readonly commits: Batch[];
}
/** Returns stores that record their calls. */
function recorded(inner: Stores, { reads, commits }: Calls): Stores {
  const open = (name: string): Store => {
    const store = inner(name);
    const { epoch } = store;
    return {
      get: (keys) => (reads.push(`get ${keys.join(" ")}`), store.get(keys)),
      list: (prefix, page) => (reads.push(`list ${prefix}`), store.list(prefix, page)),
      ...(epoch ? { epoch: () => (reads.push("epoch"), epoch.call(store)) } : {}),
      commit: (batch) => (commits.push(batch), store.commit(batch)),
    };
  };
  return Object.assign(open, { durable: inner.durable ?? true });
}

/** Returns the store calls of an issuance and a revocation with warm caches. */
async function measured(prepare: (a: Authority) => Promise<unknown>) {
  const calls: Calls = { reads: [], commits: [] };
  const a = authority({ stores: recorded(memoryStore(), calls) });
  await a.root();
  await a.role("web");
  await prepare(a);
  const issue = () => a.pki.issue({ role: "web", common_name: "a.example" });
  const revoke = async () => a.pki.revoke({ serial_number: (await issue()).serial_number });
  await revoke();
  const { serial_number } = await issue();
  const during = async (act: () => Promise<unknown>) => {
    calls.reads.length = calls.commits.length = 0;
    await act();
    const { reads, commits } = calls;
    const entries = commits.flatMap(({ log = [] }) => log.map(([prefix]) => prefix));
    return {
      // serial numbers, and identifiers that belong to one mount
      reads: reads.map((one) => one.replaceAll(/[0-9a-f-]{16,}/g, "*")),
      commits: commits.length,
      keys: commits.map(({ put = [] }) => put.length),
      entries: entries.filter((prefix) => prefix === "event/").length,
      other: entries.filter((prefix) => prefix !== "event/").length,
    };
  };
  return {
    issue: await during(issue),
    revoke: await during(() => a.pki.revoke({ serial_number })),
  };
}

it("issuing and revoking make the same store calls with and without sinks, which only add an entry to the batch", async () => {
  const without = await measured(async () => undefined);
  const withSink = await measured((a) => a.call("POST", "sys/events/sinks/ops", sink));
  for (const act of ["issue", "revoke"] as const) {
    expect(without[act].entries).toBe(0);
    expect(without[act].reads.filter((one) => one.includes("event"))).toEqual([]);
    expect(withSink[act]).toEqual({ ...without[act], entries: 1 });
  }
  expect(without.issue.commits).toBe(1);
});
