import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CaError } from "../../../src/base/errors.ts";
import { validityFor, withinIssuer } from "../../../src/pki/issuer/validity.ts";
import type { MountRow } from "../../../src/engine/mount-records.ts";
import type { Caller } from "../../../src/wire/endpoint.ts";
import { library } from "../../../src/wire/dialect.ts";
import { forSeeds } from "../../base/seeds.ts";

const mountOf = (default_lease_ttl: number, max_lease_ttl: number): MountRow => ({
  uuid: "m",
  path: "pki",
  type: "pki",
  description: "",
  accessor: "",
  local: false,
  seal_wrap: false,
  external_entropy_access: false,
  options: null,
  config: { default_lease_ttl, max_lease_ttl, force_no_cache: false },
});
const none = { endpoints: [] };
const callerOf = (overMax: "refuse" | "cap", warnings: string[] = []): Caller => ({
  identity: { id: "", entity: undefined, policies: [], can: () => true, allows: () => true },
  reply: {
    modified: () => undefined,
    warn: (text) => void warnings.push(text),
    lease: () => undefined,
    auth: () => undefined,
    respond: () => undefined,
  },
  audit: { note: () => undefined, setIdentity: () => undefined },
  dialect: overMax === "cap" ? { ...library, name: "compat" } : library,
  tokenIdentity: async () => undefined,
  basic: () => undefined,
  detached: () => {
    throw new TypeError("no deployment here");
  },
  head: false,
  path: "/",
  sentFields: new Set(),
  tables: { mounts: {}, methods: {}, sys: none, auth: none, identity: none, cubbyhole: none },
});
const rules = { ttl: 0, max_ttl: 0, not_after: "", not_before_duration: 30 };
const now = 1_900_000_000_000;
const hour = 3600;

describe("the lifetime of a certificate", () => {
  it("is the requested one, or the role's, or the mount's default, and never above the maximum", () => {
    const seconds = (
      ttl: number | undefined,
      role: Partial<typeof rules>,
      mount: MountRow,
      overMax: "refuse" | "cap" = "cap",
    ) => {
      const { notBefore, notAfter } = validityFor(
        { ttl, not_after: "" },
        { ...rules, ...role },
        { now, mount, caller: callerOf(overMax) },
      );
      expect(notBefore).toBe(now / 1000 - 30);
      return notAfter - now / 1000;
    };
    expect(seconds(5, { ttl: 9 }, mountOf(0, 0))).toBe(5);
    expect(seconds(0, { ttl: 9 }, mountOf(0, 0))).toBe(9);
    expect(seconds(undefined, {}, mountOf(0, 0))).toBe(768 * hour);
    expect(seconds(undefined, {}, mountOf(hour, 0))).toBe(hour);
    expect(seconds(undefined, {}, mountOf(0, hour))).toBe(hour);
    expect(seconds(undefined, { max_ttl: 7 }, mountOf(hour, 0))).toBe(7);
    expect(seconds(2000 * hour, { max_ttl: 3000 * hour }, mountOf(0, 0))).toBe(2000 * hour);
    expect(seconds(undefined, { ttl: 769 * hour }, mountOf(0, 0), "refuse")).toBe(768 * hour);
    expect(() => seconds(769 * hour, {}, mountOf(0, 0), "refuse")).toThrow(
      'cannot satisfy request, as TTL "769h0m0s" is longer than permitted maxTTL "768h0m0s"',
    );
  });

  it("is not backdated if not_before_duration is 0", () => {
    expect(
      validityFor(
        { ttl: 5, not_after: "" },
        { ...rules, not_before_duration: 0 },
        { now, mount: mountOf(0, 0), caller: callerOf("cap") },
      ).notBefore,
    ).toBe(now / 1000);
  });

  it("ends at the requested not_after, which only the max_ttl of the role limits", () => {
    const warnings: string[] = [];
    const end = (
      not_after: string,
      role: Partial<typeof rules> = {},
      overMax: "refuse" | "cap" = "cap",
    ) =>
      validityFor(
        { ttl: 0, not_after },
        { ...rules, ...role },
        { now, mount: mountOf(0, hour), caller: callerOf(overMax, warnings) },
      ).notAfter;
    expect(end("9999-12-31T23:59:59Z")).toBe(253_402_300_799);
    expect(end("9999-12-31T23:59:59Z", { max_ttl: 10 })).toBe(now / 1000 + 10);
    expect(warnings).toEqual([
      'not_after "9999-12-31T23:59:59Z" is later than permitted by maxTTL "10s", so maxTTL is being used',
    ]);
    expect(() => end("9999-12-31T23:59:59Z", { max_ttl: 10 }, "refuse")).toThrow(
      "is later than permitted by maxTTL",
    );
    expect(
      end("2050-01-01T00:00:00+01:00", { not_after: "2060-01-01T00:00:00.5Z", max_ttl: 10 }),
    ).toBe(Date.UTC(2060, 0, 1) / 1000);
    expect(() => end("2050-13-01T00:00:00Z")).toThrow(CaError);
  });

  it("is truncated, rejected or permitted if it exceeds the issuer's, as leaf_not_after_behavior says", () => {
    const validity = { notBefore: 100, notAfter: 200 };
    const until = (notAfter: number) => ({ notBefore: 0, notAfter });
    expect(withinIssuer(0, validity, until(200), "err")).toBe(validity);
    expect(withinIssuer(0, validity, until(199), "permit")).toBe(validity);
    expect(withinIssuer(0, validity, until(199), "truncate")).toEqual({
      notBefore: 100,
      notAfter: 199,
    });
    expect(() => withinIssuer(0, validity, until(100), "truncate")).toThrow(
      "cannot satisfy request, as notBefore of 1970-01-01T00:01:40Z is not before the expiration of the CA certificate at 1970-01-01T00:01:40Z",
    );
    expect(withinIssuer(199_999, validity, until(199), "truncate").notAfter).toBe(199);
    expect(() => withinIssuer(200_000, validity, until(199), "truncate")).toThrow(
      "the CA certificate expired",
    );
    expect(withinIssuer(300_000, validity, until(199), "permit")).toBe(validity);
    // a certificate that expires before its issuer begins is never valid
    const later = { notBefore: 200, notAfter: 900 };
    for (const behavior of ["err", "truncate", "always_enforce_err"] as const)
      expect(() => withinIssuer(0, validity, later, behavior)).toThrow(
        "cannot satisfy request, as the CA certificate is not valid before 1970-01-01T00:03:20Z",
      );
    expect(withinIssuer(0, validity, later, "permit")).toBe(validity);
    expect(withinIssuer(0, validity, { ...later, notBefore: 199 }, "err")).toBe(validity);
    for (const behavior of ["err", "always_enforce_err"] as const)
      expect(() => withinIssuer(0, validity, until(199), behavior)).toThrow(
        "cannot satisfy request, as TTL would result in notAfter of 1970-01-01T00:03:20Z that is beyond the expiration of the CA certificate at 1970-01-01T00:03:19Z",
      );
  });

  it("is within every limit, or rejected", () => {
    const span = fc.integer({ min: 0, max: 100_000_000 });
    forSeeds(
      fc.property(
        span,
        span,
        span,
        span,
        span,
        fc.boolean(),
        (ttl, roleTtl, max_ttl, mountDefault, mountMax, caps) => {
          const mount = mountOf(mountDefault, mountMax);
          const max = max_ttl || mountMax || 768 * hour;
          try {
            const { notAfter } = validityFor(
              { ttl, not_after: "" },
              { ...rules, ttl: roleTtl, max_ttl },
              { now, mount, caller: callerOf(caps ? "cap" : "refuse") },
            );
            expect(notAfter - now / 1000).toBeLessThanOrEqual(max);
          } catch (error) {
            expect(error).toBeInstanceOf(CaError);
            expect(!caps && ttl > max).toBe(true);
          }
        },
      ),
    );
  });
});
