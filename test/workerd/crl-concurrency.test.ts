import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { toHex } from "../../src/base/bytes.ts";
import { eachRevoked, parseCrl } from "../../src/x509/crl.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { readCrlNumber } from "../support/crl-number.ts";
import { apiOf, bound, newMount, type Mount } from "./worker-fixture.ts";

afterEach(() => vi.useRealTimers());

/** Returns a client of another isolate, which shares only the objects. */
const isolate = () => apiOf({ ...bound });
const plain = (serial: string): string => serial.replaceAll(":", "");

interface Listed {
  readonly number: number;
  readonly serials: readonly string[];
}
async function listOf({ path }: Mount): Promise<Listed> {
  const { status, bytes } = await isolate()("GET", `/v1/${path}/crl`);
  expect(status).toBe(200);
  const list = parseCrl(bytes);
  const number = list.extensions.find(({ oid }) => oid === extensionOid.crlNumber);
  return {
    number: readCrlNumber(number?.value ?? new Uint8Array()),
    serials: [...eachRevoked(list)].map(({ serial }) => toHex(serial)).sort(),
  };
}
/** Fires an alarm twice, as the platform does if it has not seen it complete. */
async function ringTwice(mount: Mount): Promise<void> {
  await Promise.all([
    runInDurableObject(mount.stub(), (object: { alarm(): Promise<void> }) => object.alarm()),
    runInDurableObject(mount.stub(), (object: { alarm(): Promise<void> }) => object.alarm()),
  ]);
}

describe("security row 82: one object", () => {
  it("lists exactly the revoked certificates despite concurrent issuing, revoking and tidying, duplicate alarms and clock changes", async () => {
    const mount = await newMount();
    const { path } = mount;
    const issued = async (ttl = "900h"): Promise<string> => {
      const answer = await isolate()("POST", `/v1/${path}/issue/web`, {
        common_name: "a.test",
        ttl,
      });
      expect(answer.status, answer.text).toBe(200);
      return answer.data["serial_number"] ?? "";
    };
    const revoked: string[] = [];
    const revoke = async (serial: string): Promise<void> => {
      const answer = await isolate()("POST", `/v1/${path}/revoke`, { serial_number: serial });
      expect([answer.status, answer.warnings], answer.text).toEqual([200, ""]);
      revoked.push(plain(serial));
    };
    const call = async (method: string, what: string, body?: object): Promise<void> => {
      const answer = await isolate()(method, `/v1/${path}/${what}`, body);
      expect([what, answer.status < 300], answer.text).toEqual([what, true]);
    };
    const ended = await Promise.all(Array.from({ length: 3 }, () => issued("1h")));
    await Promise.all(ended.map(revoke));
    let { number } = await listOf(mount);
    const begun = Date.now();
    // two hours ahead, when some certificates have expired; then an hour back; then ahead again
    for (const hours of [2, 1, 3]) {
      vi.useFakeTimers({ toFake: ["Date"], now: begun + hours * 3_600_000 });
      const serials = await Promise.all(Array.from({ length: 4 }, () => issued()));
      await Promise.all([
        ...serials.map(revoke),
        ...Array.from({ length: 3 }, () => issued()),
        call("GET", "crl/rotate"),
        call("POST", "tidy", {
          tidy_cert_store: true,
          tidy_revoked_certs: true,
          safety_buffer: "1s",
        }),
        ringTwice(mount),
        listOf(mount),
      ]);
      await ringTwice(mount);
      if (hours === 1) await evictDurableObject(mount.stub());
      const now = await listOf(mount);
      expect(now.number).toBeGreaterThan(number);
      number = now.number;
      const gone = ended.map(plain);
      expect(now.serials.filter((one) => !gone.includes(one))).toEqual(
        revoked.filter((one) => !gone.includes(one)).toSorted(),
      );
    }
    vi.useFakeTimers({ toFake: ["Date"], now: begun + 5 * 3_600_000 });
    while (await runDurableObjectAlarm(mount.stub()))
      if ((await mount.store.list("job/")).every(([key]) => !key.includes("/tidy"))) break;
    const gone = ended.map(plain);
    expect((await listOf(mount)).serials).toEqual(
      revoked.filter((one) => !gone.includes(one)).toSorted(),
    );
    const rows = (await mount.store.list("revoked/", { values: false })).map(([key]) =>
      key.slice(8),
    );
    expect(rows.toSorted()).toEqual((await listOf(mount)).serials);
  });
});
