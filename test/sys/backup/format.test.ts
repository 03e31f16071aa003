import { afterEach, expect, it } from "vitest";
import { fromUtf8, toBase64, utf8 } from "../../../src/base/bytes.ts";
import { sealedVault } from "../../../src/index.ts";
import type { Step } from "../../../src/engine/format.ts";
import { headOf, lineOf, readPart, signerOf, writePart } from "../../../src/sys/backup/part.ts";
import { mountSteps } from "../../../src/engine/snapshot.ts";
import { seeded } from "../../support/authority.ts";
import { ending, fresh, gathered, inParts, issued, storedOf, used, uuidOf } from "./kept.ts";

// read-only in the code; the tests simulate a version with more steps
const steps = mountSteps as Step[];
afterEach(() => void (steps.length = 0));

it("a part in the format of a later version is rejected with 400, and nothing is stored", async () => {
  steps.push({ version: "9.0.0", run: async () => undefined });
  const a = await used();
  const [uuid, parts] = [await uuidOf(a), await inParts(a)];
  steps.length = 0;
  const b = fresh();
  await b.sys.listMounts({});
  const before = await storedOf(b, uuid);
  const [part = new Uint8Array()] = parts;
  for (const path of ["snapshot/pki", "snapshot-check"]) {
    const { status, errors } = await b.call("POST", `sys/storage/${path}`, part);
    expect([status, errors]).toEqual([
      400,
      ["the backup is from a later version: its rows are in format 2: run version 9.0.0 or later"],
    ]);
  }
  expect(await storedOf(b, uuid)).toEqual(before);
});

it("rows of an older format are upgraded when the mount opens", async () => {
  const a = await used();
  const [uuid, parts] = [await uuidOf(a), await gathered(a.ca.backup("pki"))];
  steps.push({
    version: "9.0.0",
    run: async (store) => void (await store.commit({ put: [["test", "brought up"]] })),
  });
  const b = fresh();
  await b.ca.restore("pki", parts);
  await issued(b);
  const [row, format] = await b.stores(uuid).get(["test", "format"]);
  expect([row?.value, format?.value]).toEqual(["brought up", { number: 2, version: "9.0.0" }]);
});

it("secrets that were sealed with the previous sealing key are restored, and the mount signs with them", async () => {
  const [old, now] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)];
  const a = await used({ sealingKey: old });
  const parts = await inParts(a);
  const vault = sealedVault({ key: now, previous: old, random: seeded(3) });
  const b = fresh({ vault });
  await b.ca.restore("pki", parts);
  await issued(b);
  expect((await ending(fresh({ sealingKey: now }).ca.restore("pki", parts)))[0]).toBe("malformed");
});

it("leases are not restored, but their certificates are", async () => {
  const a = await used();
  await a.role("leased", { generate_lease: true });
  const { json, data } = await a.call("POST", "pki/issue/leased", { common_name: "a.test" });
  const [lease_id, serial] = [String(json["lease_id"]), String(data["serial_number"])];
  expect((await a.call("POST", "sys/leases/lookup", { lease_id })).status).toBe(200);
  const b = fresh();
  await b.ca.restore("pki", await inParts(a));
  expect((await b.call("POST", "sys/leases/lookup", { lease_id })).status).toBe(400);
  expect((await b.stores(await uuidOf(b)).list("lease/")).length).toBe(0);
  expect((await b.call("GET", `pki/cert/${serial}`)).data["revocation_time"]).toBe(0);
});

it("a part with fewer rows than it declares is rejected, even with a valid MAC", async () => {
  const a = await used();
  const [part = new Uint8Array()] = await inParts(a);
  const key = new Uint8Array(32);
  const signer = await signerOf(key);
  const line = lineOf({ key: "a", value: 1 });
  const whole = fromUtf8(await writePart(headOf(part), [line, line], true, signer));
  const signed = whole.slice(0, whole.lastIndexOf('{"mac"')).replace(line, "");
  const code = await crypto.subtle.sign("HMAC", signer, utf8(signed));
  const mac = JSON.stringify({ mac: toBase64(new Uint8Array(code)) });
  await expect(readPart(headOf(part), utf8(`${signed}${mac}\n`), key)).rejects.toMatchObject({
    code: "malformed",
    message: "this is not an intact part of a backup: rows are missing",
  });
});
