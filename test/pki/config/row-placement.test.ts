import { describe, expect, it } from "vitest";
import { acmeBelow } from "../../../src/acme/rows/prefixes.ts";
import { acmeKeys } from "../../../src/acme/rows/records.ts";
import { jobKey, lastNumberKey, logKey } from "../../../src/base/row-keys.ts";
import { auditPrefixes } from "../../../src/engine/audit-records.ts";
import { formatKey } from "../../../src/engine/format.ts";
import { leaseEndJob } from "../../../src/engine/lease-jobs.ts";
import { leaseEntry } from "../../../src/engine/lease-records.ts";
import { mountKey } from "../../../src/engine/mount-records.ts";
import { serialKey } from "../../../src/base/ids.ts";
import { idBeside, uuidWithSlot } from "../../../src/base/slot-ids.ts";
import { placementOf } from "../../../src/engine/placement-rules.ts";
import { slotOf } from "../../../src/engine/placement.ts";
import { eventLog } from "../../../src/events/event-log.ts";
import { logKeys } from "../../../src/log/rows/records.ts";
import { sequencingJob } from "../../../src/log/rows/signed.ts";
import { pkiPlacement, pkiPlacementOf } from "../../../src/pki/config/row-placement.ts";
import { keys, rowPrefixes } from "../../../src/pki/rows/records.ts";
import { tidyKeys } from "../../../src/pki/tidy/records.ts";

const { placeOf, partitionsBelow } = placementOf(pkiPlacement, 64);
const serial = Uint8Array.of(1, 2, 3, 0x45);

/** Sample arguments for functions that build keys; their meaning does not matter. */
const someArguments = ["set", 7, 8, "addresses"];
const bySerial = new Set(["cert", "metadata", "revoked", "revocationRequest"]);
/** Returns all keys that a table builds, with the name of the function. */
function made(table: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  return Object.entries(table).flatMap(([name, make]) => {
    if (typeof make === "string") return [[name, make] as const];
    if (typeof make !== "function") return [];
    const sent = bySerial.has(name)
      ? [serial]
      : name === "listedIssuer"
        ? ["set", serial]
        : name === "unused"
          ? ["id", { network: "n", created: 1 }]
          : someArguments;
    const result: unknown = make(...sent);
    return [result].flat().map((key) => [name, String(key)] as const);
  });
}
const placesOf = (table: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    made(table).map(([name, key]) => {
      const place = placeOf(key);
      return [name, place === "batch" ? "batch" : place === 0 ? "home" : "spread"];
    }),
  );

describe("the rows of a partitioned mount", () => {
  // a new row needs a decision here: see docs/partitions.md
  it("of PKI are in the home partition, except certificates, their metadata and their revocations", () => {
    expect(placesOf(keys)).toEqual({
      config: "home",
      role: "home",
      issuer: "home",
      ofIssuer: "home",
      responder: "home",
      issuerName: "home",
      key: "home",
      keyName: "home",
      cert: "spread",
      metadata: "spread",
      revoked: "spread",
      revocationRequest: "spread",
      // without a slot
      crlPages: "home",
      crl: "home",
      crlSpread: "home",
      crlSum: "home",
      listNeed: "home",
      crlNeedsKnown: "home",
      newestIndex: "home",
      crlNumber: "home",
      listedIssuer: "home",
      superseded: "home",
      crlChunk: "home",
      crlChunks: "home",
    });
  });

  const homeOfAcme = {
    eab: "home",
    binding: "home",
    bindingUses: "home",
    thumb: "home",
    address: "home",
    unused: "home",
    registration: "home",
  };
  it("of ACME are in the partition of their account, except those that exist once for a key, a binding or a network", () => {
    const account = uuidWithSlot(() => new Uint8Array(16).fill(7));
    const order = idBeside(() => new Uint8Array(16).fill(8), account);
    const keysOf = (id: string, other: string) => ({
      ...acmeKeys,
      account: acmeKeys.account(id),
      order: acmeKeys.order(other),
      authz: acmeKeys.authz(other),
      failures: acmeKeys.failures(id, "a.test"),
      attestations: acmeKeys.attestations(id, 7),
      replaced: acmeKeys.replaced(serial, id),
      // digit 20 is 7
      nonce: acmeKeys.nonce(`${"A".repeat(20)}H${"A".repeat(22)}`),
    });
    const own = keysOf(account, order);
    const spread = ["account", "order", "authz", "failures", "attestations", "replaced", "nonce"];
    expect(placesOf(own)).toEqual({
      ...homeOfAcme,
      ...Object.fromEntries(spread.map((name) => [name, "spread"])),
    });
    expect(
      new Set(
        made(own)
          .filter(([name]) => spread.includes(name))
          .map(([, key]) => placeOf(key)),
      ),
    ).toEqual(new Set([7]));
    // accounts of earlier versions, and all their rows
    const earlier = "07000000-0000-4000-8000-000000000000";
    const random = "ff000000-0000-4000-8000-000000000000";
    const { nonce: _, ...others } = keysOf(earlier, random);
    expect(new Set(Object.values(placesOf(others)))).toEqual(new Set(["home"]));
    // listings of one account ask one partition
    expect(partitionsBelow(acmeBelow.orders + order.slice(0, 3))).toEqual([7]);
    expect(partitionsBelow(acmeKeys.attestations(account, 7))).toEqual([7]);
  });

  it("of ACME are all in the home partition under versions 1 and 2 of the placement rules", () => {
    const account = uuidWithSlot(() => new Uint8Array(16).fill(7));
    for (const version of [1, 2]) {
      const earlier = placementOf(pkiPlacementOf(version), 64);
      for (const key of [acmeKeys.account(account), acmeKeys.order("p07"), acmeKeys.nonce("_")])
        expect(earlier.placeOf(key)).toBe(0);
      expect(earlier.placeOf(jobKey(1, "acme-expiry", "rows"))).toBe(0);
      expect(earlier.partitionsBelow(acmeBelow.orders)).toEqual([0]);
    }
  });

  it("of the log, of tidy, of events and of the engine are in the home partition", () => {
    expect(new Set(Object.values(placesOf(logKeys)))).toEqual(new Set(["home"]));
    expect(new Set(Object.values(placesOf(tidyKeys)))).toEqual(new Set(["home"]));
    const others = [
      mountKey,
      formatKey,
      "epoch",
      "eventexpiry",
      logKey(eventLog, 1),
      lastNumberKey(eventLog),
      ...Object.values(auditPrefixes),
    ];
    expect(others.map(placeOf)).toEqual(others.map(() => 0));
  });

  it("of jobs are in the home partition, except lease expiries, new entries of CRLs and of the log, and those of ACME requests", () => {
    expect(placeOf(jobKey(1, "crl-renewal", "set"))).toBe(0);
    for (const kind of ["acme-account", "acme-key", "tidy"])
      expect(placeOf(jobKey(1, kind, "a"))).toBe(0);
    for (const kind of ["acme-expiry", "acme-validation", "acme-claim"])
      expect(placeOf(jobKey(1, kind, "a"))).toBe("batch");
    expect(placeOf(jobKey(1, "crl-delta-renewal", "set"))).toBe(0);
    expect(placeOf(jobKey(1, "crl", "set"))).toBe("batch");
    expect(placeOf(jobKey(1, "crl-delta", "set"))).toBe("batch");
    for (const version of [1, 2, 3]) {
      const placement = placementOf(pkiPlacementOf(version), 64);
      expect(placement.placeOf(sequencingJob(1)[0])).toBe("batch");
    }
    expect(placeOf(leaseEndJob(1, 1)[0])).toBe("batch");
  });

  it("of a certificate are in one partition, and its lease can be there too", () => {
    const place = placeOf(keys.cert(serial));
    expect(placeOf(keys.metadata(serial))).toBe(place);
    expect(placeOf(keys.revoked(serial))).toBe(place);
    expect(placeOf(keys.revocationRequest(serial))).toBe(place);
    const pages = keys.crlPages("set-16-3", slotOf(serialKey(serial)));
    expect(placeOf(`${pages}00000007`)).toBe(place);
    const leases = [..."0123456789abcdef"].map((digit) => {
      const row = { serial: "01", issued: 0, expires: 0, not_after: 0 };
      return Number(placeOf(leaseEntry(`issue/web/0${digit}`, row)[0])) % 16;
    });
    expect(leases).toContain(Number(place) % 16);
  });

  it("of revocations are in the home partition under version 1 of the placement rules", () => {
    const first = placementOf(pkiPlacementOf(1), 64);
    const pages = `${keys.crlPages("set", slotOf(serialKey(serial)))}00000000`;
    const rows = [keys.revoked(serial), keys.revocationRequest(serial), pages];
    expect(rows.map(first.placeOf)).toEqual([0, 0, 0]);
    expect(first.placeOf(jobKey(1, "crl", "set"))).toBe(0);
    expect(first.placeOf(keys.cert(serial))).toBe(placeOf(keys.cert(serial)));
  });

  it("are listed in the home partition only, unless spread rows or jobs may match the prefix", () => {
    const all = Array.from({ length: 64 }, (_, at) => at);
    const { certs, metadata, revoked, crlPages } = rowPrefixes;
    for (const prefix of ["", certs, metadata, revoked, crlPages, "lease/issue/", "job/"])
      expect(partitionsBelow(prefix)).toEqual(all);
    const atHome = [
      rowPrefixes.listed,
      rowPrefixes.crls,
      rowPrefixes.crlSums,
      rowPrefixes.roles,
      acmeBelow.thumbs,
      acmeBelow.unused,
    ];
    for (const prefix of atHome) expect(partitionsBelow(prefix)).toEqual([0]);
  });
});
