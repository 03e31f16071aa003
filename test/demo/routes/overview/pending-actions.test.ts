import { expect, it } from "vitest";
import type { Authority } from "../../../../demo/api/issuer.ts";
import type { NamedRole } from "../../../../demo/lib/role.ts";
import {
  ending,
  expiryTexts,
  pendingIssuers,
  summary,
  wantOf,
} from "../../../../demo/routes/overview/pending-actions.ts";
import { life } from "../../../../demo/lib/lifetime.ts";

const day = 86_400_000;
const now = new Date(Date.UTC(2026, 10, 22));
const at = (days: number): Date => new Date(now.getTime() + days * day);
const leaf = (begins: number, ends: number) => ({
  ends: at(ends),
  state: life({ begins: at(begins), ends: at(ends), authority: false }, false, now),
});
interface Given {
  readonly begins?: number;
  readonly ends?: number;
  readonly title?: string;
  readonly key?: string;
  readonly isDefault?: boolean;
  readonly parent?: string;
  readonly revoked?: boolean;
  readonly isBelowRevoked?: boolean;
  readonly keyless?: boolean;
}
/** Returns a CA with the fields that the overview reads. */
function authority(id: string, given: Given = {}): Authority {
  const { begins = -10, ends = 3000, title = id, key = id, parent } = given;
  const { revoked = false, isBelowRevoked = false, isDefault = false, keyless = false } = given;
  return {
    record: {
      issuer_id: id,
      issuer_name: `${id}-name`,
      key_id: keyless ? "" : key,
      usage: "issuing-certificates",
      revoked,
    } as Authority["record"],
    view: {
      begins: at(begins),
      ends: at(ends),
      authority: true,
      title,
      keyPrint: key,
      selfIssued: parent === undefined,
    } as Authority["view"],
    name: title,
    isDefault,
    depth: parent === undefined ? 0 : 1,
    parent,
    isBelowRevoked,
  };
}
const role = (name: string, issuer_ref: string): NamedRole => [name, { issuer_ref }];
/** Returns the names of the CAs that need action, and why. */
const wants = (all: readonly Authority[], roles: readonly NamedRole[] = []): readonly string[] =>
  pendingIssuers(all, roles, now).map((one) => `${one.one.name} ${wantOf(one, now)?.join(". ")}`);

it("a certificate valid for a week needs no action when it is new, but on its last day", () => {
  const counted = { certificates: [leaf(0, 7), leaf(-6, 1)], left: "" };
  expect(ending(counted, [])).toEqual({ authorities: 0, others: 1 });
  expect(summary(1, 0, 1)).toBe("One authority. One certificate needs action.");
});

it("configured URLs that name another mount need action", () => {
  expect(summary(2, 0, 0, true)).toBe("2 authorities. The configured URLs need action.");
  expect(summary(2, 0, 1, true)).toBe("2 authorities. One certificate needs action.");
});

it("the count of expiring certificates matches their list, CAs included", () => {
  const counted = { certificates: [leaf(-335, 29), leaf(-334, 31)], left: "" };
  const all = [authority("Old", { ends: 60, isDefault: true }), authority("New")];
  const soon = ending(counted, pendingIssuers(all, [], now));
  expect(soon).toEqual({ authorities: 1, others: 1 });
  expect(expiryTexts(soon).title).toBe("2 certificates expire soon");
  expect(expiryTexts(soon).about).toMatch(/One of them is a CA certificate, named above\.$/);
  expect(expiryTexts({ authorities: 0, others: 1 })).toEqual({
    title: "One certificate expires soon",
    about:
      "It expires within 30 days, and less than a third of its lifetime (at least a week) remains. It was not issued through ACME, and no later certificate has its names. Renew it unless its client does so automatically.",
  });
});

it("a CA that expires soon needs a successor, and no action once the successor has taken over", () => {
  const old = authority("Acme G1", { ends: 60, isDefault: true });
  expect(wants([old])).toEqual([
    "Acme G1 expires in 60 days. Certificates it issued become invalid when it expires. Create a successor and make it the default.",
  ]);
  const next = authority("Acme G2", { begins: -1 });
  expect(wants([old, next])).toEqual([
    "Acme G1 expires in 60 days. Certificates it issued become invalid when it expires. Acme G2 replaces it, but this CA is the default issuer.",
  ]);
  const retired = authority("Acme G1", { ends: 60 });
  const current = authority("Acme G2", { begins: -1, isDefault: true });
  expect(wants([retired, current])).toEqual([]);
  expect(
    wants([retired, current], [role("web", "Acme G1-name"), role("other", "default")]),
  ).toEqual([
    "Acme G1 expires in 60 days. Certificates it issued become invalid when it expires. Acme G2 replaces it, but the role web uses it.",
  ]);
  const below = authority("Issuing", { parent: "Acme G1" });
  expect(wants([retired, current, below])).toEqual([
    "Acme G1 expires in 60 days. Certificates it issued become invalid when it expires. Acme G2 replaces it, but Issuing is below it.",
  ]);
});

it("trust-only roots and unused CAs that are expired or revoked need no action", () => {
  expect(wants([authority("Foreign", { ends: 20, keyless: true })])).toEqual([]);
  expect(wants([authority("Over", { begins: -900, ends: -1 })])).toEqual([]);
  expect(wants([authority("Gone", { revoked: true })])).toEqual([]);
  expect(wants([authority("Alone", { ends: 20 })])).toHaveLength(1);
});

it("a revoked CA that is the default, used by a role or above the default CA needs action", () => {
  expect(wants([authority("Gone", { revoked: true, isDefault: true })])[0]).toMatch(
    /^Gone is revoked/,
  );
  expect(wants([authority("Gone", { revoked: true })], [role("web", "Gone")])[0]).toMatch(
    /^Gone is revoked\. .* Create a successor\.$/,
  );
  const below = authority("Issuing", { parent: "Gone", isBelowRevoked: true, isDefault: true });
  const found = wants([authority("Gone", { revoked: true }), below]);
  expect(found.map((text) => text.replace(/\. .*/, ""))).toEqual([
    "Gone is revoked",
    "Issuing is below a revoked CA",
  ]);
});

it("a revoked root needs no action for a successor that it has cross-signed", () => {
  const gone = authority("Acme G1", { revoked: true });
  const next = authority("Acme G2", { begins: -1, isDefault: true });
  const crossed = authority("Acme G2 crossed", {
    title: "Acme G2",
    key: "Acme G2",
    begins: -1,
    parent: "Acme G1",
    isBelowRevoked: true,
  });
  expect(wants([gone, next, crossed])).toEqual([]);
});

it("a CA whose key has a later certificate needs no action for the CAs below it", () => {
  const old = authority("Root", { ends: 60 });
  const renewed = authority("Root again", {
    title: "Root",
    key: "Root",
    begins: -1,
    isDefault: true,
  });
  expect(wants([old, renewed, authority("Issuing", { parent: "Root" })])).toEqual([]);
});
