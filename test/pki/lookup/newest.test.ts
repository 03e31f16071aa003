import { beforeEach, expect, it } from "vitest";
import { storedPki } from "../../../src/pki/rows/records.ts";
import { parseCertificate } from "../../../src/x509/certificate.ts";
import { authority, refusal, start, type Authority } from "../../support/authority.ts";
import { commitRows } from "../../support/commit-rows.ts";

let a: Authority;
const serials: Record<string, string> = {};
const now = start / 1000;
beforeEach(async () => {
  a = authority();
  await a.root();
  await a.role("web");
  // certificates that are issued later expire earlier
  for (const [i, name] of ["one.test", "two.test", "three.test"].entries()) {
    a.clock.advance(3600);
    const ttl = 1_000_000 - i * 100_000;
    const made = await a.pki.issue({ role: "web", common_name: name, ttl });
    serials[name] = made.serial_number;
  }
});

type Query = Partial<Parameters<Authority["pki"]["searchCerts"]>[0]>;
async function found(query: Query) {
  const { keys, key_info, order, cursor } = await a.pki.searchCerts(query);
  return { names: keys.map((serial) => key_info[serial]?.common_name), order, cursor };
}
/** Runs the jobs that are due. */
const runJobs = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await a.ca.tick();
};
/** Stores the certificates as versions up to 0.2 did: not indexed by start of validity. */
async function storeAsBefore(): Promise<void> {
  const { uuid } = await a.sys.readMount({ path: "pki" });
  const store = a.stores(uuid);
  const rows = await store.list("cert/");
  await commitRows(store, {
    put: rows.map(([key, { value }]) => {
      const { role, issuer, der } = storedPki.cert(value);
      return [key, value, { not_after: parseCertificate(der).notAfter, name: "", role, issuer }];
    }),
    del: ["search/newest"],
  });
}

it("a search with order=newest returns the latest start of validity first, in pages and with filters", async () => {
  await found({ order: "newest" });
  await runJobs();
  expect((await found({})).names.at(0)).toBe("three.test");
  expect(await found({ order: "newest" })).toEqual({
    names: ["three.test", "two.test", "one.test", "Root CA"],
    order: "newest",
    cursor: "",
  });
  const first = await found({ order: "newest", limit: 2 });
  expect(first.names).toEqual(["three.test", "two.test"]);
  const { names } = await found({ order: "newest", limit: 2, cursor: first.cursor });
  expect(names).toEqual(["one.test", "Root CA"]);
  await a.pki.revoke({ serial_number: serials["two.test"] ?? "" });
  expect((await found({ order: "newest", state: "valid", role: "web" })).names).toEqual([
    "three.test",
    "one.test",
  ]);
  const begins = { not_before_from: now + 3600, not_before_to: now + 2 * 3600 };
  expect((await found({ order: "newest", ...begins })).names).toEqual(["two.test"]);
});

it("a search with order=newest has the default order, and says so, until older certificates are indexed", async () => {
  await storeAsBefore();
  const before = await found({ order: "newest", limit: 2 });
  expect([before.order, before.names]).toEqual(["", ["three.test", "two.test"]]);
  // certificates issued meanwhile are indexed immediately
  a.clock.advance(3600);
  await a.pki.issue({ role: "web", common_name: "four.test", ttl: 2_000_000 });
  await runJobs();
  expect(await found({ order: "newest" })).toEqual({
    names: ["four.test", "three.test", "two.test", "one.test", "Root CA"],
    order: "newest",
    cursor: "",
  });
  // a search that began earlier keeps its order
  const rest = await found({ order: "newest", cursor: before.cursor });
  expect(rest.order).toBe("");
  expect(rest.names.toSorted()).toEqual(["Root CA", "four.test", "one.test"]);
});

it("an altered certificate of an earlier version does not stop the others from being indexed", async () => {
  await storeAsBefore();
  const { uuid } = await a.sys.readMount({ path: "pki" });
  const store = a.stores(uuid);
  const [[key, { value }] = ["", { value: {} }]] = await store.list("cert/");
  await store.commit({ put: [[key, { ...(value as object), der: Uint8Array.of(1) }]] });
  await found({ order: "newest" });
  await runJobs();
  const { names, order } = await found({ order: "newest" });
  expect([names.length, order]).toEqual([3, "newest"]);
});

it("a mount without certificates accepts order=newest at once, and an unknown order is rejected", async () => {
  const empty = authority();
  expect((await empty.pki.searchCerts({ order: "newest" })).order).toBe("newest");
  expect(await refusal(a.pki.searchCerts({ order: "oldest" }))).toEqual([
    400,
    "unknown order oldest: use newest",
  ]);
});
