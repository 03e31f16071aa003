import { describe, expect, it } from "vitest";
import { memoryStore } from "../../src/store/memory.ts";
import { request, sanOf } from "../pki/reading.ts";
import { authority, type Authority } from "../support/authority.ts";

/** Returns a page of events, newest first. */
async function page(a: Authority, query = "") {
  const { data, status } = await a.call("GET", `sys/audit/events?list=true${query}`);
  if (status === 404) return [];
  expect(status).toBe(200);
  // the type that the endpoint declares
  const { keys, key_info: info } = data as unknown as {
    keys: readonly string[];
    key_info: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  return keys.map((id): Readonly<Record<string, unknown>> => ({ id, ...info[id] }));
}

/** Creates an authority with changes in two mounts and in sys, and denials. */
async function busy() {
  const a = authority();
  await a.root();
  await a.call("POST", "sys/mounts/other", { type: "pki" });
  for (let n = 0; n < 30; n++) {
    a.clock.advance(1);
    await a.call("POST", `${n % 3 ? "pki" : "other"}/roles/r${n}`, {}, { token: "operator" });
    if (n % 5 === 0) await a.call("DELETE", `pki/roles/r${n}`, undefined, { token: "reader" });
  }
  return a;
}

describe("LIST sys/audit/events (listAuditEvents)", () => {
  it("merges the events of all stores, newest first, in pages without gaps or repetitions", async () => {
    const a = await busy();
    const all = await page(a);
    const times = all.map(({ time }) => Number(time));
    expect(times).toEqual([...times].sort((x, y) => y - x));
    expect(new Set(all.map(({ store }) => store)).size).toBe(3);
    expect(all.filter(({ kind }) => kind === "refusal")).toHaveLength(6);
    const paged: unknown[] = [];
    for (let after = "", more = true; more;) {
      const some = await page(a, `&limit=7&after=${after}`);
      paged.push(...some);
      more = some.length > 0;
      after = String(some.at(-1)?.["id"]);
      // later events are newer
      a.clock.advance(1);
      await a.call("POST", "pki/roles/later", { ttl: `${paged.length}h` });
    }
    expect(paged).toEqual(all);
  });

  it("filters by kind, caller, endpoint, mount, time and name", async () => {
    const a = await busy();
    const all = await page(a);
    const of = async (query: string) => (await page(a, query)).map(({ id }) => id);
    const those = (test: (one: Readonly<Record<string, unknown>>) => boolean) =>
      all.filter(test).map(({ id }) => id);
    const half = Math.floor(a.clock.now / 1000) - 15;
    for (const [query, test] of [
      ["kind=refusal", (one) => one["kind"] === "refusal"],
      ["kind=change", (one) => one["kind"] === "change"],
      ["caller=token%20operator", (one) => one["caller"] === "token operator"],
      ["endpoint=deleteRole", (one) => one["endpoint"] === "deleteRole"],
      ["mount=other/", (one) => one["mount"] === "other"],
      [`since=${half}`, (one) => Number(one["time"]) >= half * 1000],
    ] as const satisfies readonly (readonly [
      string,
      (one: Readonly<Record<string, unknown>>) => boolean,
    ])[]) {
      const found = await of(`&${query}`);
      expect(found.length).toBeGreaterThan(0);
      expect([query, found]).toEqual([query, those(test)]);
    }
    expect(await of("&caller=nobody")).toEqual([]);
    await a.role("web");
    await a.call("POST", "pki/issue/web", { common_name: "a.example", alt_names: "b.example" });
    const [issued] = await of("&limit=1");
    const fields = (await page(a, "&limit=1"))[0]?.["fields"] as { serial: string } | undefined;
    for (const name of ["a.example", "b.example", fields?.serial ?? "none"])
      expect([name, await of(`&name=${name}`)]).toEqual([name, [issued]]);
    expect(await of("&name=c.example")).toEqual([]);
    for (const query of ["kind=x", "limit=-1"])
      expect((await a.call("GET", `sys/audit/events?list=true&${query}`)).status).toBe(400);
    expect(
      (await a.call("LIST", "sys/audit/events", undefined, { token: "operator" })).status,
    ).toBe(403);
  });

  it("finds an event by a name that only the CSR has, and records no hash twice", async () => {
    const a = authority();
    await a.root();
    await a.role("web", { key_type: "any" });
    const san = sanOf({ dns: ["b.example"], ip: ["192.0.2.1"], email: ["c@d.example"] });
    const csr = await request({ cn: "a.example", extensions: [san] });
    for (const [path, body] of [
      ["sign/web", {}],
      ["sign-verbatim", {}],
      ["root/sign-intermediate", { use_csr_values: true }],
    ] as const) {
      a.clock.advance(1);
      expect((await a.call("POST", `pki/${path}`, { csr, ...body })).status).toBe(200);
      const [event] = await page(a, "&limit=1");
      const id = event?.["id"];
      for (const name of ["a.example", "b.example", "192.0.2.1", "c@d.example"])
        expect([path, name, (await page(a, `&limit=1&name=${name}`))[0]?.["id"]]).toEqual([
          path,
          name,
          id,
        ]);
      expect(JSON.stringify(event)).not.toContain("example");
    }
    a.clock.advance(1);
    await a.role("ec");
    await a.call("POST", "pki/issue/ec", { common_name: "e.example", alt_names: "f.example" });
    const [issued] = await page(a, "&limit=1");
    expect(issued).toMatchObject({ endpoint: "issue" });
    expect(issued?.["fields"]).not.toHaveProperty("names");
  });

  it.each([
    ["part of a URI in the request", { uri_sans: ["urn:x,a.example"] }],
    ["in the request with a space", { common_name: " a.example" }],
  ])("finds an event by a name in the certificate that is also %s", async (_, fields) => {
    const a = authority();
    await a.root();
    await a.role("web", { key_type: "any" });
    const csr = await request({ cn: "a.example" });
    expect((await a.call("POST", "pki/sign/web", { csr, ...fields })).status).toBe(200);
    const [event] = await page(a, "&name=a.example");
    expect(event).toMatchObject({ endpoint: "sign" });
  });

  it("keeps the last 10,000 events of each kind, independently of other kinds", async () => {
    const a = authority();
    await a.root();
    const { uuid } = await a.sys.readMount({ path: "pki" });
    await a.call("DELETE", "pki/roles/r", undefined, { token: "reader" });
    const event = {
      time: a.clock.now,
      request: "",
      endpoint: "x",
      method: "POST",
      mount: "pki",
      path: "/",
    };
    for (let n = 0; n < 102; n++)
      await a.stores(uuid).commit({
        log: Array.from({ length: 100 }, () => ["audit/change/", event, 10_000] as const),
      });
    await a.role("web");
    const rows = await a.stores(uuid).list("audit/change/", { values: false });
    expect(rows.length).toBeGreaterThanOrEqual(10_000);
    expect(rows.length).toBeLessThanOrEqual(10_100);
    const [newest] = await page(a, "&limit=1&kind=change");
    expect(newest).toMatchObject({ endpoint: "writeRole", number: 10_202 });
    expect(await page(a, "&kind=refusal")).toHaveLength(1);
  });
});

describe("GET sys/audit/counts (countAuditEvents)", () => {
  const day = 86_400;

  it("counts by day, endpoint, role, issuer and error code, including refusals that were not stored", async () => {
    const a = authority();
    const { issuer_id: issuer } = await a.root();
    await a.role("web");
    for (const name of ["a.example", "b.example"])
      await a.call("POST", "pki/issue/web", { common_name: name });
    a.clock.advance(day);
    for (let n = 0; n < 40; n++)
      await a.call("DELETE", "pki/roles/web", undefined, { token: "reader" });
    // the next stored refusal includes the number of those before it that were not stored
    a.clock.advance(900);
    await a.call("DELETE", "pki/roles/web", undefined, { token: "reader" });
    await a.call("POST", "pki/issue/web", { common_name: "c.example" });
    const today = Math.floor(a.clock.now / 1000 / day) * day;
    const { data } = await a.call("GET", "sys/audit/counts?mount=pki/&days=2");
    expect(data["since"]).toBe(today - day);
    const issued = { kind: "change", endpoint: "issue", role: "web", issuer };
    const refused = { kind: "refusal", endpoint: "deleteRole", refusal: "forbidden" };
    const counts = data["counts"] as readonly { begin: number }[];
    expect(counts.map(({ begin }) => begin)).toEqual(
      [1, 1, 1, 0, 0].map((ago) => today - ago * day),
    );
    const all = [
      expect.objectContaining({ endpoint: "generateRoot", count: 1 }),
      { begin: today - day, kind: "change", endpoint: "writeRole", count: 1 },
      { begin: today - day, ...issued, count: 2 },
      { begin: today, ...issued, count: 1 },
      { begin: today, ...refused, count: 41 },
    ];
    expect(counts).toEqual(expect.arrayContaining(all));
    const { data: last } = await a.call("GET", "sys/audit/counts?mount=pki&days=1");
    expect(last["counts"]).toHaveLength(2);
    const { data: none } = await a.call("GET", "sys/audit/counts?mount=other");
    expect(none["counts"]).toEqual([]);
    for (const days of [0, 367])
      expect((await a.call("GET", `sys/audit/counts?days=${days}`)).errors).toEqual([
        `days must be 1 to 366, got ${days}`,
      ]);
  });

  it("returns the time of the oldest event if a log has dropped older ones", async () => {
    const a = authority();
    await a.root();
    const { uuid } = await a.sys.readMount({ path: "pki" });
    const event = { request: "", endpoint: "x", method: "POST", mount: "pki", path: "/" };
    // the store keeps only the newest events of a log
    await a.stores(uuid).commit({
      log: Array.from({ length: 200 }, (_, n) => {
        const time = a.clock.now - 2e5 + 1000 * n;
        return ["audit/overflow/", { ...event, time }, 10] as const;
      }),
    });
    const { data } = await a.call("GET", "sys/audit/counts?mount=pki");
    const kept = await page(a, "&log=overflow&limit=1000");
    expect(kept.length).toBeLessThan(200);
    expect(data["since"]).toBe(Math.ceil(Number(kept.at(-1)?.["time"]) / 1000));
  });

  it("reads only new events again, and counts exactly after more events, a deletion and a restore", async () => {
    const { a, read } = counted();
    await a.root();
    const { uuid } = await a.sys.readMount({ path: "pki" });
    const store = a.stores(uuid);
    const prefix = "audit/overflow/";
    const add = (count: number, endpoint: string, keep = 10_000) =>
      store.commit({
        log: Array.from({ length: count }, (_, n) => {
          const event = { request: `${endpoint}${n}`, method: "POST", mount: "pki", path: "/" };
          return [prefix, { ...event, endpoint, time: a.clock.now - day * 1000 + n }, keep];
        }),
      });
    const counts = async (): Promise<Readonly<Record<string, number>>> => {
      const { data } = await a.call("GET", "sys/audit/counts?mount=pki");
      const rows = data["counts"] as readonly { endpoint: string; count: number }[];
      return Object.fromEntries(
        rows.flatMap(({ endpoint, count }) =>
          /^[xyz]$/.test(endpoint) ? [[endpoint, count]] : [],
        ),
      );
    };
    await add(1000, "x");
    expect(await counts()).toEqual({ x: 1000 });
    expect(read.rows).toBeGreaterThan(1000);
    await add(130, "y");
    read.rows = 0;
    expect(await counts()).toEqual({ x: 1000, y: 130 });
    expect(read.rows).toBeLessThan(300);
    // the store deletes old events in groups of 100
    await add(70, "y", 550);
    const left = await store.list(prefix);
    expect(left).toHaveLength(550);
    expect(await counts()).toEqual({ x: 350, y: 200 });
    // as after a restore: other events with the same numbers
    const del = left.slice(-400).map(([key]) => key);
    await store.commit({ del, put: [[`logged/${prefix}`, 800]] });
    await add(400, "z");
    expect(await counts()).toEqual({ x: 150, z: 400 });
  });
});

/** Creates an authority whose stores count the rows that are listed below `audit/`. */
function counted() {
  const read = { rows: 0 };
  const inner = memoryStore();
  const a = authority({
    stores: (name) => {
      const store = inner(name);
      return {
        ...store,
        get: (keys) => store.get(keys),
        commit: (batch) => store.commit(batch),
        list: async (prefix, page) => {
          const rows = await store.list(prefix, page);
          if (prefix.startsWith("audit/")) read.rows += rows.length;
          return rows;
        },
      };
    },
  });
  return { a, read };
}

describe("audit devices", () => {
  it("are listed by listAuditDevices, and auditHash hashes a name like the events do", async () => {
    const a = authority();
    await a.root();
    await a.role("web");
    const devices = await a.call("GET", "sys/audit");
    expect(devices.data).toEqual({
      "events/": {
        type: "store",
        description: "Events in the stores of what they changed",
        options: {},
        local: false,
        path: "events/",
      },
    });
    await a.call("POST", "pki/issue/web", {
      common_name: "a.example",
      alt_names: "b.example, c.example",
    });
    const [issued] = await page(a, "&endpoint=issue");
    const hashOf = async (input: string) =>
      (await a.call("POST", "sys/audit-hash/events", { input })).data["hash"];
    expect(issued?.["fields"]).toMatchObject({
      common_name: await hashOf("a.example"),
      alt_names: [await hashOf("b.example"), await hashOf("c.example")],
    });
    expect(await hashOf("a.example")).toMatch(/^hmac-sha256:[0-9a-f]{64}$/);
    const again = authority({ stores: a.stores, seed: 5 });
    const same = await again.call("POST", "sys/audit-hash/events", { input: "a.example" });
    expect(same.data["hash"]).toBe(await hashOf("a.example"));
    const other = await authority({ seed: 9 }).call("POST", "sys/audit-hash/events", {
      input: "a.example",
    });
    expect(other.data["hash"]).not.toBe(same.data["hash"]);
    expect((await a.call("POST", "sys/audit-hash/none", { input: "x" })).status).toBe(400);
  });

  it("cannot be changed by enableAuditDevice and disableAuditDevice, whose errors name the alternative", async () => {
    const a = authority();
    for (const [method, path] of [
      ["POST", "file"],
      ["POST", "file/"],
      ["DELETE", "file"],
      ["DELETE", "events"],
    ] as const) {
      const answer = await a.call(method, `sys/audit/${path}`, { type: "file", options: {} });
      expect([method, path, answer.status, answer.errors]).toEqual([
        method,
        path,
        400,
        [expect.stringMatching(/cannot be enabled or disabled.*AUDIT=false.*sys\/audit\/sink/)],
      ]);
    }
    const { status } = await a.call("POST", "sys/audit/file", {}, { token: "operator" });
    expect(status).toBe(403);
    expect((await a.call("DELETE", "sys/audit/sink")).status).toBe(204);
    const hash = await a.call("POST", "sys/audit-hash/file", { input: "x" });
    expect(hash.errors).toEqual([
      'unknown audit backend "file": use events, or sink if a sink is set',
    ]);
    const bare = await a.call("POST", "sys/audit-hash", { input: "x" });
    expect([bare.status, bare.errors]).toEqual([
      400,
      ['unknown audit backend "": use events, or sink if a sink is set'],
    ]);
  });

  it("do not record calls without a valid token, which countStrangers counts by hour", async () => {
    const a = authority();
    await a.call("GET", "sys/mounts", undefined, { token: "wrong" });
    a.clock.advance(7200);
    await a.call("GET", "sys/mounts", undefined, { token: "wrong" });
    const { data } = await a.call("GET", "sys/audit/strangers");
    const begin = Math.floor(a.clock.now / 3.6e6) * 3600;
    expect(data["hours"]).toEqual([
      { begin: begin - 7200, calls: 1 },
      { begin, calls: 1 },
    ]);
  });
});
