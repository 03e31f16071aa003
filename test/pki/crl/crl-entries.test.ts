import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../src/base/bytes.ts";
import type { Row, Store } from "../../../src/engine/ports.ts";
import { memoryStore } from "../../../src/index.ts";
import { eachRevoked, encodeRevokedEntry, parseCrl } from "../../../src/x509/crl.ts";
import { authority, start, type Authority } from "../../support/authority.ts";

const serials = async (a: Authority, path = "pki/crl"): Promise<readonly string[]> =>
  [...eachRevoked(parseCrl((await a.call("GET", path)).bytes))]
    .map((entry) => toHex(entry.serial))
    .sort();
interface Made {
  readonly a: Authority;
  readonly store: Store;
  readonly set: string;
  /** Serial numbers of the revoked certificates. */
  readonly gone: string[];
}
async function revoked({ a, gone }: Pick<Made, "a" | "gone">, role = "web"): Promise<string> {
  const { serial_number } = await a.pki.issue({ role, common_name: "a.test", ttl: "900h" });
  await a.pki.revoke({ serial_number, reason: gone.length % 2 ? "superseded" : "" });
  gone.push(serial_number.replaceAll(":", ""));
  return serial_number;
}
async function withRevoked(count: number): Promise<Made> {
  // with several partitions, the pages of a CRL would have other keys
  const a = authority({ stores: memoryStore() });
  await a.root();
  await a.role("web");
  const { uuid } = (await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
  const store = a.stores(uuid);
  const set = ((await store.list("crlstate/"))[0]?.[0] ?? "").slice("crlstate/".length);
  const made: Made = { a, store, set, gone: [] };
  for (let i = 0; i < count; i++) await revoked(made);
  return made;
}
const page = async (
  { store, set }: Made,
  n = 0,
): Promise<readonly [key: string, bytes: Uint8Array]> => {
  const [key, row] = (await store.list(`crlpage/${set}/`))[n] as readonly [string, Row<Uint8Array>];
  return [key, row.value];
};
const rotated = async (a: Authority): Promise<void> => {
  expect(
    (await a.call("GET", "pki/crl/rotate", undefined, { compat: true })).json["warnings"],
  ).toBeNull();
};
const mended = (a: Authority) => a.events.filter(({ endpoint }) => endpoint === "crl entries");
const hour = 3600;

describe("entries that were altered in the store", () => {
  it("never appear on a CRL if one bit is altered: it is built from the revocations", async () => {
    const made = await withRevoked(3);
    const { a, store, gone } = made;
    const [key, whole] = await page(made);
    for (let bit = 0; bit < whole.length * 8; bit += 7) {
      const flipped = whole.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await store.commit({ put: [[key, flipped]] });
      await rotated(a);
      expect(await serials(a)).toEqual(gone.toSorted());
      expect((await page(made))[1].length).toBe(whole.length);
    }
    const events = mended(a);
    expect(events.length).toBe(Math.ceil((whole.length * 8) / 7));
    expect(events[0]).toMatchObject({ status: 500, mount: "pki", fields: { entries: 3 } });
    // the repaired pages are verified from then on
    await rotated(a);
    expect(mended(a)).toHaveLength(events.length);
  });

  it("are also detected in a long CRL, and between two builds", async () => {
    const made = await withRevoked(1);
    const { a, store, set, gone } = made;
    const more = Array.from({ length: 16_000 }, (_, n) => `01${n.toString(16).padStart(38, "0")}`);
    for (let at = 0; at < more.length; at += 1000) {
      const serials = more.slice(at, at + 1000);
      const entries = serials.flatMap((serial) => [
        ...encodeRevokedEntry({ serial: fromHex(serial), revokedAt: start / 1000 }),
      ]);
      const put = serials.map(
        (serial) => [`revoked/${serial}`, { at: start, issuer: "", crl_set: set }] as const,
      );
      await store.commit({ put, append: [[`crlpage/${set}/`, Uint8Array.from(entries)]] });
    }
    gone.push(...more);
    await rotated(a);
    await revoked(made);
    const pages = await store.list(`crlpage/${set}/`);
    expect(pages.length).toBeGreaterThan(8);
    for (const n of [0, 5, 8]) {
      const [key, whole] = await page(made, n);
      const at = whole.length >> 1;
      await store.commit({ put: [[key, whole.map((byte, i) => (i === at ? byte ^ 16 : byte))]] });
      await rotated(a);
    }
    expect([await serials(a), mended(a).length]).toEqual([gone.toSorted(), 3]);
  });

  it("are also detected before the first build", async () => {
    const made = await withRevoked(2);
    const { a, store, gone } = made;
    await a.pki.writeCrlConfig({ auto_rebuild: true });
    const before = (await page(made))[1].length;
    await revoked(made);
    await revoked(made);
    const [key, whole] = await page(made);
    whole[before + 10] = (whole[before + 10] ?? 0) ^ 4;
    await store.commit({ put: [[key, whole]] });
    await rotated(a);
    expect([await serials(a), mended(a).length]).toEqual([gone.toSorted(), 1]);
  });

  it("are restored by the next build if their whole page was altered or lost", async () => {
    const made = await withRevoked(2);
    const { a, store, gone } = made;
    const [key] = await page(made);
    await store.commit({ del: [key] });
    await rotated(a);
    expect([await serials(a), mended(a).length]).toEqual([gone.toSorted(), 1]);
    // a page with an entry that no CRL has counted
    await a.pki.writeCrlConfig({ auto_rebuild: true });
    const [, counted] = await page(made);
    await revoked(made);
    await store.commit({ put: [[key, counted]] });
    a.clock.advance(61 * hour);
    expect([await serials(a), mended(a).length]).toEqual([gone.toSorted(), 2]);
  });

  it("are restored for revoked issuers that were deleted or whose certificate was not stored", async () => {
    const made = await withRevoked(1);
    const { a, store, gone } = made;
    const [low, lower] = [
      await a.intermediate(),
      await a.intermediate({ common_name: "Other CA" }),
    ];
    const revokedIssuers = [];
    for (const { id, certificate } of [low, lower]) {
      const stored = (await a.pki.revokeIssuer({ issuer_ref: id })) as {
        readonly serial_number?: string;
      };
      expect(stored).toBeDefined();
      const { serial_number } = (await a.pki.listCertDetails({})).keys.length
        ? await serialOf(a, certificate)
        : { serial_number: "" };
      revokedIssuers.push(serial_number);
    }
    await a.pki.deleteIssuer({ issuer_ref: lower.id });
    // as if the second issuer had come from elsewhere
    await store.commit({ del: [`cert/${revokedIssuers[1]}`, `revoked/${revokedIssuers[1]}`] });
    const expected = [...gone, ...revokedIssuers].sort();
    expect(await serials(a)).toEqual(expected);
    const [key, whole] = await page(made);
    whole[6] = (whole[6] ?? 0) ^ 1;
    await store.commit({ put: [[key, whole]] });
    await rotated(a);
    expect([await serials(a), mended(a).length]).toEqual([expected, 1]);
  });

  it("are distinguished from entries of earlier versions, which are accepted and completed", async () => {
    const made = await withRevoked(3);
    const { a, store, set, gone } = made;
    // the state of an earlier version: no digest, one entry of a deleted issuer, one entry missing
    const entries = [...eachRevoked({ entries: (await page(made))[1] })];
    const foreign = encodeRevokedEntry({ serial: fromHex("0102"), revokedAt: start / 1000 });
    const bytes = [...entries.slice(0, 2).flatMap(({ der }) => [...der]), ...foreign];
    await store.commit({
      del: [`crlsum/${set}`],
      put: [[(await page(made))[0], Uint8Array.from(bytes)]],
    });
    await rotated(a);
    expect(await serials(a)).toEqual([...gone, "0102"].sort());
  });

  it("are repaired, and stay in place, even if the row of a revocation cannot be read", async () => {
    const made = await withRevoked(3);
    const { a, store, gone } = made;
    const unreadable = `revoked/${gone[1]}`;
    const { get, list } = store;
    const fail = (): never => {
      throw new TypeError("not an encoded value");
    };
    store.get = async (keys) => (keys.includes(unreadable) ? fail() : get(keys));
    store.list = async (prefix, options) =>
      unreadable.startsWith(prefix) && options?.values !== false ? fail() : list(prefix, options);
    const [key, whole] = await page(made);
    whole[10] = (whole[10] ?? 0) ^ 1;
    await store.commit({ put: [[key, whole]] });
    await rotated(a);
    expect([await serials(a), mended(a).length]).toEqual([gone.toSorted(), 1]);
    a.clock.advance(61 * hour);
    expect(await serials(a)).toEqual(gone.toSorted());
  });

  it("are repaired during revocations, of which none is lost", async () => {
    const made = await withRevoked(3);
    const { a, store, gone } = made;
    const leaves = await Promise.all(
      Array.from({ length: 12 }, () =>
        a.pki.issue({ role: "web", common_name: "a.test", ttl: "900h" }),
      ),
    );
    const [key, whole] = await page(made);
    whole[8] = (whole[8] ?? 0) ^ 1;
    await store.commit({ put: [[key, whole]] });
    await Promise.all(leaves.map(({ serial_number }) => a.pki.revoke({ serial_number })));
    await rotated(a);
    expect(await serials(a)).toEqual(
      [...gone, ...leaves.map(({ serial_number }) => serial_number.replaceAll(":", ""))].sort(),
    );
  });
});

async function serialOf(
  a: Authority,
  certificate: string,
): Promise<{ readonly serial_number: string }> {
  for (const serial of (await a.pki.listCerts({})).keys)
    if ((await a.pki.readCert({ serial })).certificate.trim() === certificate.trim())
      return { serial_number: serial.replaceAll(":", "") };
  throw new Error("the certificate is not stored");
}
