import { beforeAll, describe, expect, it, vi } from "vitest";

// the module of URLs reads and watches the location of the page
vi.stubGlobal("location", { hash: "", search: "" });
vi.stubGlobal("addEventListener", () => {});
vi.stubGlobal("history", { state: null, replaceState: () => {} });
let expiryChart: typeof import("../../../../demo/routes/overview/expiry-weeks.ts").expiryChart;
beforeAll(async () => {
  ({ expiryChart } = await import("../../../../demo/routes/overview/expiry-weeks.ts"));
});

const now = new Date("2026-11-28T21:30:00Z");
const ending = (ends: string, more = {}) =>
  ({ ends: new Date(ends), state: "valid", ...more }) as const;

describe("the expiry forecast", () => {
  it("begins a week at midnight UTC and links to the list of exactly those days", () => {
    const found = [
      ending("2026-11-28T22:00:00Z"),
      ending("2026-12-04T23:59:59Z", { acme: true }),
      ending("2026-12-05T00:00:00Z", { state: "soon" }),
      // after the last week
      ending("2027-02-27T00:00:00Z"),
    ];
    const { bars, about } = expiryChart({ certificates: found }, now);
    expect(bars).toHaveLength(13);
    expect(bars.slice(0, 3).map(({ values }) => values)).toEqual([
      [0, 1, 1],
      [1, 0, 0],
      [0, 0, 0],
    ]);
    expect(bars[1]).toMatchObject({
      label: "5 Dec",
      from: "5 Dec 2026",
      to: "11 Dec 2026",
      href: "#/certificates?status=valid&from=2026-12-05&to=2026-12-11",
    });
    expect(about).toBe(
      "3 certificates expire in the next 13 weeks: 2 in week 1, 1 of them renewed by ACME clients, 1 in week 2, 1 of them needs action.",
    );
  });

  it("marks the week in which counting stopped as incomplete, and later weeks as unknown", () => {
    const until = new Date("2026-12-06T00:00:00Z");
    const { bars, unknownFrom } = expiryChart(
      { certificates: [ending("2026-12-05T01:00:00Z")], until },
      now,
    );
    expect(unknownFrom).toBe(2);
    expect(bars.map(({ isPartial }) => isPartial).indexOf(true)).toBe(1);
  });
});
