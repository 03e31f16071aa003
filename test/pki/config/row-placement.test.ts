import { describe, expect, it } from "vitest";
import { acmeBelow, acmeKeys } from "../../../src/acme/rows/records.ts";
import { jobKey, lastNumberKey, logKey } from "../../../src/base/row-keys.ts";
import { auditPrefixes } from "../../../src/engine/audit-records.ts";
import { formatKey } from "../../../src/engine/format.ts";
import { leaseEndJob } from "../../../src/engine/lease-jobs.ts";
import { leaseEntry } from "../../../src/engine/lease-records.ts";
import { mountKey } from "../../../src/engine/mount-records.ts";
import { serialKey } from "../../../src/base/ids.ts";
import { placementOf, slotOf } from "../../../src/engine/placement.ts";
import { eventLog } from "../../../src/events/event-log.ts";
import { logKeys } from "../../../src/log/rows/records.ts";
import { pkiPlacement, pkiPlacementOf } from "../../../src/pki/config/row-placement.ts";
import { keys, rowPrefixes } from "../../../src/pki/rows/records.ts";
import { tidyKeys } from "../../../src/pki/tidy/records.ts";

const { placeOf, partitionsBelow } = placementOf(pkiPlacement, 64);
const serial = Uint8Array.of(1, 2, 3, 0x45);

/** Sample arguments for functions that build keys; their meaning does not matter. */
const someArguments = ["set", 7, 8, "addresses"];
const bySerial = new Set(["cert", "metadata", "revoked", "revocationRequest", "replaced"]);
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
      crlSum: "home",
      listNeed: "home",
      listNeedsKnown: "home",
      newestIndex: "home",
      crlNumber: "home",
      listedIssuer: "home",
      superseded: "home",
      crlChunk: "home",
      crlChunks: "home",
    });
  });

  it("of ACME are in the home partition", () => {
    expect(placesOf(acmeKeys)).toEqual({
      eab: "home",
      binding: "home",
      bindingUses: "home",
      account: "home",
      thumb: "home",
      registration: "home",
      order: "home",
      authz: "home",
      nonce: "home",
      replaced: "home",
      address: "home",
      unused: "home",
      failures: "home",
      attestations: "home",
    });
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

  it("of jobs are in the home partition, except lease expiries and new entries of CRLs", () => {
    expect(placeOf(jobKey(1, "crl-renewal", "set"))).toBe(0);
    expect(placeOf(jobKey(1, "crl-delta-renewal", "set"))).toBe(0);
    expect(placeOf(jobKey(1, "crl", "set"))).toBe("batch");
    expect(placeOf(jobKey(1, "crl-delta", "set"))).toBe("batch");
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

  it("are listed in the home partition only, unless certificates, leases or jobs may match the prefix", () => {
    const all = Array.from({ length: 64 }, (_, at) => at);
    const { certs, metadata, revoked, crlPages } = rowPrefixes;
    for (const prefix of ["", certs, metadata, revoked, crlPages, "lease/issue/", "job/"])
      expect(partitionsBelow(prefix)).toEqual(all);
    const atHome = [
      rowPrefixes.listed,
      rowPrefixes.crls,
      rowPrefixes.crlSums,
      rowPrefixes.roles,
      acmeBelow.orders,
      acmeBelow.nonces,
    ];
    for (const prefix of atHome) expect(partitionsBelow(prefix)).toEqual([0]);
  });
});
