import { expect, it } from "vitest";
import type { Authority } from "../../../../demo/api/issuer.ts";
import { ending, endingWords, summary } from "../../../../demo/routes/overview/pending-actions.ts";
import { life } from "../../../../demo/lib/lifetime.ts";

const day = 86_400_000;
const now = new Date(Date.UTC(2026, 10, 22));
const at = (days: number): Date => new Date(now.getTime() + days * day);
const leaf = (begins: number, ends: number) => ({
  ends: at(ends),
  state: life({ begins: at(begins), ends: at(ends), authority: false }, false, now),
});
const authority = (begins: number, ends: number): Authority => ({
  // only the part of a CA that the overview reads
  record: { revoked: false } as Authority["record"],
  view: { begins: at(begins), ends: at(ends), authority: true } as Authority["view"],
  name: "Root",
  isDefault: false,
  depth: 0,
  parent: undefined,
});

it("a certificate of a week that was issued just now needs nothing, on its last day it does", () => {
  const counted = { found: [leaf(0, 7), leaf(-6, 1)], left: "" };
  expect(ending(counted, [], now)).toEqual({ authorities: 0, others: 1 });
  expect(summary([authority(-1, 3000)], 1, now)).toBe(
    "One authority. One certificate needs action.",
  );
});

it("the count of expiring certificates matches their list, authorities included", () => {
  const counted = { found: [leaf(-335, 29), leaf(-334, 31)], left: "" };
  const soon = ending(counted, [authority(-3000, 60), authority(-1, 3000)], now);
  expect(soon).toEqual({ authorities: 1, others: 1 });
  expect(endingWords(soon).title).toBe("2 certificates expire soon");
  expect(endingWords(soon).about).toMatch(/One of them is a CA certificate, named above\.$/);
  expect(endingWords({ authorities: 0, others: 1 })).toEqual({
    title: "One certificate expires soon",
    about:
      "It is in the last third of its lifetime of a week or more, expires within 30 days, was not issued by ACME, and no later certificate has its names. Renew it unless its client does so automatically.",
  });
});
