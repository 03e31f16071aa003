import { describe, expect, it } from "vitest";
import { memoryStore, newMeter, type Store } from "../../src/index.ts";
import { counters, gauges, histograms } from "../../src/engine/metrics.ts";
import { encodeExposition } from "../../src/sys/metrics/report.ts";
import { orderIn, newOrder, readyOrder, finalize } from "../acme/ordering.ts";
import { acmeAuthority } from "../acme/client.ts";
import { acmeWorld, page, until } from "../acme/validation-world.ts";
import { getPath, requestFor } from "../pki/ocsp/asking.ts";
import { authority, start, type Authority } from "../support/authority.ts";
import { parseExposition } from "../support/exposition.ts";

const read = async (a: Pick<Authority, "call">) => {
  const answer = await a.call("GET", "sys/metrics?format=prometheus");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  return parseExposition(answer.text);
};
const issue = (a: Authority, name = "www.a.test", more = {}) =>
  a.call("POST", "pki/issue/web", { common_name: name, ...more });
const withRole = async () => {
  const a = authority({ server: { version: "1.2.3", started: start } });
  const root = await a.root();
  await a.role("web", { allow_any_name: false, allowed_domains: "a.test", allow_subdomains: true });
  return { a, root };
};

describe("sys/metrics (readMetrics)", () => {
  it("counts requests, refusals, certificates and revocations", async () => {
    const { a } = await withRole();
    for (let i = 0; i < 3; i++) expect((await issue(a)).status).toBe(200);
    expect((await issue(a, "www.b.test")).status).toBe(400);
    const { data } = await issue(a);
    await a.call("POST", "pki/revoke", { serial_number: data["serial_number"] });
    await a.call("POST", "pki/revoke", { serial_number: data["serial_number"] });
    await a.call("GET", "pki/nothing");
    const metrics = await read(a);
    expect(metrics.get("sealwright_requests_total")).toEqual(
      new Map([
        ["endpoint=generateRoot,status=200", 1],
        ["endpoint=writeRole,status=200", 1],
        ["endpoint=revoke,status=200", 2],
        ["endpoint=issue,status=200", 4],
        ["endpoint=issue,status=400", 1],
        ["endpoint=none,status=404", 1],
      ]),
    );
    const durations = (name: string) => metrics.get(`sealwright_request_duration_seconds_${name}`);
    expect(durations("count")?.get("endpoint=issue")).toBe(5);
    expect(durations("bucket")?.get("endpoint=issue,le=0.001")).toBe(5);
    expect(durations("bucket")?.get("endpoint=issue,le=+Inf")).toBe(5);
    expect(durations("sum")?.get("endpoint=issue")).toBe(0);
    expect(metrics.get("sealwright_requests_refused_total")?.get("code=name_not_allowed")).toBe(1);
    expect(metrics.get("sealwright_certificates_issued_total")).toEqual(
      new Map([["mount=pki", 5]]),
    );
    expect(metrics.get("sealwright_certificates_revoked_total")?.get("mount=pki")).toBe(1);
    expect(metrics.get("sealwright_info")?.get("version=1.2.3")).toBe(1);
  });

  it("counts OCSP responses by status, including cached ones", async () => {
    const { a, root } = await withRole();
    const { data } = await issue(a);
    const issuer = root.certificate;
    const good = getPath(await requestFor({ issuer, serial: String(data["serial_number"]) }));
    const unknown = getPath(await requestFor({ issuer, serial: "01:02" }));
    for (const path of [good, good, good, unknown])
      expect((await a.call("GET", path, undefined, { token: "" })).status).toBe(200);
    await a.call("POST", "pki/ocsp", "?", {
      header: { "content-type": "application/ocsp-request" },
    });
    expect((await read(a)).get("sealwright_ocsp_responses_total")).toEqual(
      new Map([
        ["status=good", 3],
        ["status=unknown", 1],
        ["status=malformedRequest", 1],
      ]),
    );
  });

  it("counts ACME orders by result", async () => {
    const a = await acmeAuthority();
    const client = await a.registered();
    const location = await readyOrder(a, client, ["a.test"]);
    await finalize(client, location, { names: ["a.test"] });
    const [authorization = ""] = orderIn(await newOrder(client, ["b.test"])).authorizations;
    await client.post(authorization, { status: "deactivated" });
    expect((await read(a)).get("sealwright_acme_orders_total")).toEqual(
      new Map([
        ["mount=pki,result=created", 2],
        ["mount=pki,result=valid", 1],
        ["mount=pki,result=invalid", 1],
      ]),
    );
  });

  it("counts ACME challenges by type and result", async () => {
    const world = await acmeWorld({ dial: async () => page("no") });
    await world.order("account", ["one"]);
    await world.ca.tick();
    await until(async () => (await world.authz("one")).status === "invalid");
    const metrics = await read(world);
    expect(metrics.get("sealwright_acme_challenges_total")).toEqual(
      new Map([["mount=pki,type=http-01,result=invalid", 1]]),
    );
    expect(metrics.get("sealwright_acme_orders_total")?.get("mount=pki,result=invalid")).toBe(1);
  });

  it("reports issuers, CRLs, expiring certificates and jobs of each mount", async () => {
    const { a, root } = await withRole();
    await a.role("web", { max_ttl: "60d" });
    for (const ttl of ["1d", "6d", "8d", "29d", "31d"]) await issue(a, "x.test", { ttl });
    await a.call("GET", "pki/crl", undefined, { token: "" });
    const metrics = await read(a);
    const labels = `mount=pki,issuer=${root.issuer_id}`;
    const until = metrics.get("sealwright_issuer_not_after_timestamp_seconds")?.get(labels);
    expect(until).toBe(root.expiration);
    const updates = ["this", "next"].map((which) =>
      metrics.get(`sealwright_crl_${which}_update_timestamp_seconds`)?.get(labels),
    );
    expect(updates).toEqual([start / 1000, start / 1000 + 72 * 3600]);
    expect(metrics.get("sealwright_certificates_expiring")).toEqual(
      new Map([
        ["mount=pki,within=7d", 2],
        ["mount=pki,within=30d", 4],
      ]),
    );
    expect(metrics.get("sealwright_jobs")?.get("mount=pki,state=waiting")).toBeGreaterThan(0);
    expect(metrics.get("sealwright_jobs_overdue_seconds")?.get("mount=pki")).toBe(0);
    expect(metrics.get("sealwright_degraded")?.get("mount=pki")).toBe(0);
  });

  it("reports the size of each partition, and a partition that lost its rows", async () => {
    const a = authority({ stores: memoryStore() });
    await a.root();
    await a.call("POST", "sys/mounts/big", { type: "pki", config: { partitions: 4 } });
    const { uuid } = await a.sys.readMount({ path: "big" });
    const metrics = await read(a);
    const ofMount = (of: typeof metrics, name: string, mount: string) =>
      [...(of.get(`sealwright_partition_${name}`) ?? [])].flatMap(([labels, value]) =>
        labels.startsWith(`mount=${mount},`) ? [value] : [],
      );
    expect(ofMount(metrics, "ready", "big")).toEqual([1, 1, 1, 1]);
    expect(ofMount(metrics, "ready", "pki")).toEqual([]);
    expect(ofMount(metrics, "rows", "pki")).toHaveLength(1);
    const rows = ofMount(metrics, "rows", "big");
    expect(rows).toHaveLength(4);
    expect(rows[0]).toBe((await a.stores(uuid).list("")).length);
    const get: Store["get"] = async (keys) => keys.map(() => undefined);
    Object.assign(a.stores(`${uuid}.2`), { get });
    await a.stores(`${uuid}.3`).commit({ put: [["metadata/00", {}]] });
    a.clock.advance(60);
    const later = await read(a);
    expect(ofMount(later, "ready", "big")).toEqual([1, 1, 0, 1]);
    expect(ofMount(later, "rows", "big")).toEqual([...rows.slice(0, 3), Number(rows[3]) + 1]);
  });

  it("shows mounts by their current path, and no deleted mounts", async () => {
    const { a } = await withRole();
    await issue(a);
    await a.call("POST", "sys/remount", { from: "pki", to: "team/ca" });
    const issued = async () => (await read(a)).get("sealwright_certificates_issued_total");
    expect(await issued()).toEqual(new Map([["mount=team/ca", 2]]));
    await a.call("DELETE", "sys/mounts/team/ca");
    expect(await issued()).toBeUndefined();
  });

  it("responds in JSON unless a format is named, and rejects unknown formats", async () => {
    const { a } = await withRole();
    await issue(a);
    a.clock.advance(10);
    const { json, headers } = await a.call("GET", "sys/metrics");
    expect(headers.get("content-type")).toBe("application/json");
    expect(json).toMatchObject({
      Timestamp: "2030-01-02 03:04:15 +0000 UTC",
      Gauges: expect.arrayContaining([{ Name: "sealwright_processes", Labels: {}, Value: 1 }]),
      Counters: expect.arrayContaining([
        expect.objectContaining({
          Name: "sealwright_certificates_issued_total",
          Labels: { mount: "pki" },
          Count: 2,
          Rate: 0.2,
        }),
      ]),
      Samples: expect.arrayContaining([
        expect.objectContaining({ Labels: { endpoint: "issue" }, Count: 1, Min: 0, Max: 0.001 }),
      ]),
    });
    const refused = await a.call("GET", "sys/metrics?format=xml");
    expect([refused.status, refused.errors]).toEqual([
      400,
      ['format: expected prometheus, got "xml"'],
    ]);
  });

  it("requires a token with read permission", async () => {
    const { a } = await withRole();
    expect((await a.call("GET", "sys/metrics", undefined, { token: "" })).status).toBe(403);
    const capable = await a.call("GET", "sys/metrics", undefined, { token: "reader" });
    expect(capable.status).toBe(200);
  });

  it("has a limited number of series, whatever paths and methods callers send", async () => {
    const meter = newMeter();
    const a = authority({ meter });
    const anonymous = { token: "" };
    for (let i = 0; i < 400; i++) {
      await a.call("GET", `sys/health?activecode=${200 + i}`, undefined, anonymous);
      if (i < 50) await a.call("GET", `path-${i}/of/nothing`, undefined, anonymous);
      if (i < 50) await a.call("GET", `pki/cert/0${i}`, undefined, anonymous);
    }
    const { length } = Object.keys(meter.counts());
    expect(length).toBeLessThan(60);
    for (let i = 0; i < 50; i++) {
      await a.call(`X${i}`, `sys/health`, undefined, anonymous);
      await a.call("GET", `other-${i}/of/nothing`, undefined, anonymous);
    }
    expect(Object.keys(meter.counts()).length).toBeLessThan(length + 10);
  });
});

describe("the text format", () => {
  it("escapes labels", () => {
    const text = encodeExposition([
      { name: "a", help: "x\\y\nz", labels: ["b"], type: "gauge", values: [[['"\\\n'], 1.5]] },
    ]);
    expect(text).toBe('# HELP a x\\\\y\\nz\n# TYPE a gauge\na{b="\\"\\\\\\n"} 1.5\n');
  });
  it("names metrics as Prometheus recommends, and uniquely", () => {
    const all = [counters, histograms, gauges].flatMap((table) => Object.values(table));
    const names = all.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^sealwright_[a-z_]+$/);
    for (const { name } of Object.values(counters)) expect(name).toMatch(/_total$/);
    for (const { help } of all) expect(help).toMatch(/^[^\n]+\.$/);
  });
});
