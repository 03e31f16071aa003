import { expect, it } from "vitest";
import type { Authority } from "../../../../demo/api/issuer.ts";
import type { NamedRole } from "../../../../demo/lib/role.ts";
import { lifeEvents } from "../../../../demo/routes/authorities/life-events.ts";

const day = 86_400_000;
const now = new Date();
const at = (days: number): Date => new Date(now.getTime() + days * day);
const daysTo = (time: Date): number => Math.round((time.getTime() - now.getTime()) / day);

interface Given {
  readonly title?: string;
  readonly isDefault?: boolean;
  readonly behavior?: string;
  readonly keyless?: boolean;
}
function authority(begins: number, ends: number, given: Given = {}): Authority {
  const { title = "Acme G1", isDefault = false, behavior = "err", keyless = false } = given;
  return {
    // only the fields of a CA that its life events depend on
    record: {
      issuer_id: title,
      issuer_name: "",
      key_id: keyless ? "" : title,
      usage: "issuing-certificates",
      leaf_not_after_behavior: behavior,
      revoked: false,
    } as Authority["record"],
    view: {
      begins: at(begins),
      ends: at(ends),
      authority: true,
      title,
      keyPrint: title,
      selfIssued: true,
    } as Authority["view"],
    name: title,
    isDefault,
    depth: 0,
    parent: undefined,
    isBelowRevoked: false,
  };
}
const roles: readonly NamedRole[] = [
  ["web", { issuer_ref: "Acme G1", ttl: 30 * 86_400 }],
  ["mail", { issuer_ref: "Acme G1", ttl: 0, max_ttl: 400 * 86_400 }],
  ["other", { issuer_ref: "Other", ttl: 4000 * 86_400 }],
];
const titles = (one: Authority, all: readonly Authority[], of = roles) =>
  lifeEvents(one, { all, roles: of, revoked: undefined, now }).map(
    ({ title, at: time, isLate }) => [title, daysTo(time), ...(isLate ? ["late"] : [])],
  );

it("the last certificate with a full lifetime is due that lifetime before the CA expires", () => {
  const one = authority(-100, 1000);
  expect(titles(one, [one])).toEqual([
    ["Created", -100],
    ["Successor due", 600],
    ["Last certificate valid for 13 months", 600],
    ["Expires", 1000],
  ]);
  expect(titles(one, [one], [])).toEqual([
    ["Created", -100],
    ["Successor due", 910],
    ["Expires", 1000],
  ]);
  const about = (behavior: string) =>
    lifeEvents(authority(-100, 1000, { behavior }), { all: [], roles, revoked: undefined, now })[2]
      ?.about;
  expect(about("truncate")).toBe("Later certificates expire with the CA.");
  expect(about("err")).toMatch(/rejected\.$/);
});

it("an overdue successor is marked as late, and an existing one is shown with its date", () => {
  const one = authority(-1000, 60);
  expect(titles(one, [one], [])).toEqual([
    ["Created", -1000],
    ["Successor due", -30, "late"],
    ["Expires", 60],
  ]);
  const next = authority(-5, 2000, { title: "Acme G2", isDefault: true });
  const events = lifeEvents(one, { all: [one, next], roles: [], revoked: at(-1), now });
  expect(events.map(({ title, other }) => [title, other?.name])).toEqual([
    ["Created", undefined],
    ["Successor created", "Acme G2"],
    ["Revoked", undefined],
    ["Expires", undefined],
  ]);
  expect(events[1]?.about).toBe("The default issuer");
});

it("a CA that cannot sign needs no successor, and an expired CA is shown as such", () => {
  const trusted = authority(-10, 60, { keyless: true });
  expect(titles(trusted, [trusted])).toEqual([
    ["Created", -10],
    ["Expires", 60],
  ]);
  const over = authority(-900, -5);
  expect(titles(over, [over])).toEqual([
    ["Created", -900],
    ["Expired", -5],
  ]);
});
