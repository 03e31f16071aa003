import { beforeAll, describe, expect, it, vi } from "vitest";

// the module of URLs reads and watches the location of the page
vi.stubGlobal("location", { hash: "", search: "" });
vi.stubGlobal("addEventListener", () => {});
vi.stubGlobal("history", { state: null, replaceState: () => {} });
let charts: typeof import("../../../../demo/routes/system/daily-counts.ts");
beforeAll(async () => {
  charts = await import("../../../../demo/routes/system/daily-counts.ts");
});

const now = new Date("2026-11-28T09:00:00Z");
const begin = Date.parse("2026-11-28T00:00:00Z") / 1000;
const count = (role: string | undefined, number: number, more = {}) => ({
  begin,
  kind: "change",
  endpoint: "issue",
  ...(role !== undefined && { role }),
  count: number,
  ...more,
});

describe("the chart of issued certificates", () => {
  const reply = {
    since: begin - 29 * 86_400,
    counts: [
      count("a", 1),
      count("b", 2),
      count("c", 3),
      count("d", 4),
      count("e", 5),
      count("f", 6, { issuer: "1234567890" }),
      count(undefined, 7, { endpoint: "acmeFinalize", issuer: "x" }),
      count("a", 9, { endpoint: "writeRole" }),
      count("a", 9, { kind: "refusal" }),
    ],
  };

  it("counts only issuance, the most frequent roles separately and the rest together", () => {
    const { bars, series, about } = charts.issuedChart({ reply, now }, "role", new Map());
    expect(series.map(({ name }) => name)).toEqual(["without a role", "f", "e", "d", "other"]);
    expect(bars).toHaveLength(30);
    expect(bars.at(-1)).toMatchObject({
      label: "28 Nov",
      values: [7, 6, 5, 4, 6],
      href: "#/certificates?since=2026-11-28&until=2026-11-28",
      isPartial: false,
    });
    expect(about).toBe("Issued certificates per day since 30 Oct 2026: 28.");
  });

  it("names issuers, or shows the start of their ID if they have no name", () => {
    const { series } = charts.issuedChart({ reply, now }, "issuer", new Map([["x", "servers"]]));
    expect(series.map(({ name }) => name)).toEqual(["issuer not recorded", "servers", "12345678"]);
  });

  it("begins with the first recorded day, which is marked as incomplete", () => {
    const since = begin - 86_400 + 3600;
    const { bars } = charts.issuedChart({ reply: { ...reply, since }, now }, "role", new Map());
    expect(bars.map(({ label, isPartial }) => [label, isPartial])).toEqual([
      ["27 Nov", true],
      ["28 Nov", false],
    ]);
  });
});

describe("the chart of failed ACME orders", () => {
  it("counts invalid orders by day and by error type", () => {
    const order = (status: "valid" | "invalid", type = "") => ({
      account_id: "",
      directory: "acme",
      status,
      identifiers: [],
      created_time: "2026-11-27T23:00:00Z",
      expires: "",
      cert_serial_number: "",
      authorizations: [],
      ...(type && { error: { type } }),
    });
    const info = {
      a: order("invalid", "urn:ietf:params:acme:error:dns"),
      b: order("valid"),
      c: order("invalid"),
    };
    const since = now.getTime() - 30 * 86_400_000;
    const { bars, series } = charts.failedOrdersChart(
      { keys: Object.keys(info), info },
      { since, now },
    );
    expect(series.map(({ name }) => name)).toEqual(["dns", "no error recorded"]);
    expect(bars.map(({ values }) => values).filter((values) => values.some(Boolean))).toEqual([
      [1, 1],
    ]);
    expect(bars.at(-2)?.values).toEqual([1, 1]);
  });
});
