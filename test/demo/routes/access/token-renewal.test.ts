import { expect, it } from "vitest";
import type { AuthReply } from "../../../../src/client/auth.ts";
import { describeRenewal } from "../../../../demo/routes/access/token-renewal.ts";

const now = new Date("2026-11-29T12:00:00Z");
const renewed = (
  lease_duration: number,
  warnings: readonly string[],
): ReturnType<typeof describeRenewal> =>
  describeRenewal({ data: { lease_duration } as AuthReply, warnings }, now);

it("a token renewal is described by its new expiry, and by the maximum lifetime if that limits it", () => {
  expect(renewed(0, [])).toEqual({ title: "Token renewed", warnings: [] });
  expect(renewed(7200, ["another warning"])).toEqual({
    title: "Token renewed until 29 Nov 2026 14:00 UTC",
    warnings: ["another warning"],
  });
  const capped =
    'TTL of "768h0m0s" exceeded the effective max_ttl of "768h0m0s"; TTL value is capped accordingly';
  expect(renewed(86_400, [capped])).toEqual({
    title: "Token renewed until 30 Nov 2026 12:00 UTC, the end of its maximum lifetime of 32 days",
    warnings: [],
  });
});
