import { expect, it } from "vitest";
import { outcomeText } from "../../server/cli/commands/revoke.ts";

it("revoke says whether the certificate was already revoked, unless the clocks may differ by the time since then", () => {
  const now = Date.UTC(2026, 10, 29, 12);
  const minute = 60_000;
  expect([-1, 0, 4, 6].map((minutes) => outcomeText(now - minutes * minute, now))).toEqual([
    "Revoked at 2026-11-29 12:01 UTC.",
    "Revoked at 2026-11-29 12:00 UTC.",
    "Revoked at 2026-11-29 11:56 UTC.",
    "The certificate was already revoked at 2026-11-29 11:54 UTC. Nothing changed.",
  ]);
});
