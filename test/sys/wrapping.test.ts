import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/bytes.ts";
import { jobs, mountTypes, sys } from "../../src/endpoints.ts";
import type { LogEvent } from "../../src/index.ts";
import type { Row } from "../../src/engine/ports.ts";
import type { WrappedRow } from "../../src/engine/sys-records.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { Mounts } from "../../src/engine/mounts.ts";
import { engineApi } from "../../src/v1/api.ts";
import { serveHttp } from "../../src/wire/http.ts";
import { authority, clockAt, seeded, start, type Authority } from "../support/authority.ts";
import { mixedStores } from "../support/mixed.ts";
import {
  invalid,
  rowsOf,
  seen,
  unwrap,
  withRole,
  wrapped,
  wrappedIssue,
} from "../support/wrapping.ts";

/** Returns the rows of wrapped replies: no other code writes below this prefix. */
const replies = (a: Authority) =>
  a.stores("sys").list("wrapped/") as Promise<readonly (readonly [string, Row<WrappedRow>])[]>;

describe("a wrapped reply at rest", () => {
  it("contains neither the token nor anything else that opens it, and cannot be opened with its ID", async () => {
    const a = await withRole();
    const { token, accessor } = await wrappedIssue(a);
    const [[key, row] = ["", undefined]] = await replies(a);
    const { data } = await unwrap(a, token);
    const at =
      JSON.stringify([key, { ...row?.value, sealed: "", told: "" }]) +
      new TextDecoder("latin1").decode(row?.value.sealed) +
      new TextDecoder("latin1").decode(row?.value.told) +
      toHex(row?.value.told ?? new Uint8Array()) +
      toHex(row?.value.sealed ?? new Uint8Array());
    for (const secret of [
      token.slice(5),
      accessor,
      "a.test",
      "PRIVATE KEY",
      String(data["private_key"]).slice(40, 60),
      "pki/issue/web",
    ])
      expect(at).not.toContain(secret);
    expect(Object.keys(row?.value ?? {})).toEqual(["end", "sealed", "told"]);
    // a reader of the rows knows this ID: neither it nor a key derived from it opens the reply
    const id = Uint8Array.from({ length: 32 }, (_, i) =>
      Number.parseInt(key.slice("wrapped/".length + 2 * i).slice(0, 2), 16),
    );
    const sealed = row?.value.sealed.slice() ?? new Uint8Array();
    const material = await crypto.subtle.importKey("raw", id, "HKDF", false, ["deriveKey"]);
    const info = new TextEncoder().encode("sealwright wrapped reply key");
    const derived = await crypto.subtle.deriveKey(
      { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info },
      material,
      { name: "AES-GCM", length: 256 },
      false,
      ["decrypt"],
    );
    const raw = await crypto.subtle.importKey("raw", id, "AES-GCM", false, ["decrypt"]);
    const additionalData = new TextEncoder().encode(
      `${key.slice("wrapped/".length)}/${row?.value.end}`,
    );
    for (const wrong of [derived, raw])
      await expect(
        crypto.subtle.decrypt(
          { name: "AES-GCM", iv: sealed.slice(0, 12), additionalData },
          wrong,
          sealed.slice(12),
        ),
      ).rejects.toThrow();
  });

  it("opens with the key that HKDF derives from the token", async () => {
    const a = await withRole();
    const { token } = await wrappedIssue(a);
    const [[key, { value }] = ["", { value: { end: 0, sealed: new Uint8Array() } }]] =
      await replies(a);
    const bytes = Uint8Array.from(
      atob(token.slice(5).replaceAll("-", "+").replaceAll("_", "/")),
      (c) => c.charCodeAt(0),
    );
    const material = await crypto.subtle.importKey("raw", bytes, "HKDF", false, [
      "deriveKey",
      "deriveBits",
    ]);
    const hkdf = (purpose: string) => ({
      name: "HKDF",
      hash: "SHA-256",
      salt: new Uint8Array(0),
      info: new TextEncoder().encode(`sealwright wrapped reply ${purpose}`),
    });
    const id = toHex(new Uint8Array(await crypto.subtle.deriveBits(hkdf("id"), material, 256)));
    expect(key).toBe(`wrapped/${id}`);
    const opener = await crypto.subtle.deriveKey(
      hkdf("key"),
      material,
      { name: "AES-GCM", length: 256 },
      false,
      ["decrypt"],
    );
    const gcm = {
      name: "AES-GCM",
      iv: value.sealed.slice(0, 12),
      additionalData: new TextEncoder().encode(`${id}/${value.end}`),
    };
    const text = new TextDecoder().decode(
      await crypto.subtle.decrypt(gcm, opener, value.sealed.slice(12)),
    );
    expect(text).toContain("PRIVATE KEY");
  });

  it("that was changed, moved or extended in storage is rejected, and the original opens", async () => {
    const a = await withRole();
    const store = a.stores("sys");
    const [one, two] = [await wrappedIssue(a), await wrappedIssue(a)];
    const held = await replies(a);
    const flipped = ({ sealed, ...row }: WrappedRow, at: number): WrappedRow => ({
      ...row,
      sealed: sealed.map((byte, i) => (i === at ? byte ^ 1 : byte)),
    });
    const each = (change: (row: WrappedRow, i: number) => unknown) =>
      store.commit({ put: held.map(([key, { value }], i) => [key, change(value, i)]) });
    for (const change of [
      (row: WrappedRow) => flipped(row, 0),
      (row: WrappedRow) => flipped(row, 12),
      (row: WrappedRow) => flipped(row, row.sealed.length - 1),
      (row: WrappedRow) => ({ ...row, sealed: row.sealed.slice(0, -1) }),
      (row: WrappedRow) => ({ ...row, sealed: row.sealed.slice(0, 11) }),
      (row: WrappedRow) => ({ ...row, sealed: new Uint8Array(0) }),
      (row: WrappedRow) => ({ ...row, end: row.end + 1 }),
      (_: WrappedRow, i: number) => held[1 - i]?.[1].value,
    ]) {
      await each(change);
      for (const { token } of [one, two])
        for (const path of ["lookup", "unwrap", "rewrap"])
          expect(seen(await a.call("POST", `sys/wrapping/${path}`, { token }))).toEqual(invalid);
    }
    await each((row) => row);
    for (const { token } of [one, two]) expect((await unwrap(a, token)).status).toBe(200);
  });

  it("is deleted by a job some time after it expires, not before, and replies that expire in the same minute share the job", async () => {
    const a = await withRole();
    const tokens = [
      await wrappedIssue(a),
      await wrappedIssue(a),
      await wrapped(a, "GET", "pki/roles/web", undefined, "90"),
      await wrapped(a, "GET", "sys/mounts", undefined, "1h"),
    ];
    // begins at 03:04:05, so that replies expiring in 60 or 90 seconds are removed at 03:06
    const due = start - 5000 + 120_000;
    expect(a.wakes.slice(-4)).toEqual([due, due, due, start - 5000 + 3_660_000]);
    expect((await a.stores("sys").list("job/")).length).toBe(2);
    expect(await a.ca.tick()).toBe(due);
    expect(await replies(a)).toHaveLength(4);
    await unwrap(a, tokens[0]?.token);
    a.clock.now = due;
    expect(await a.ca.tick()).toBe(start - 5000 + 3_660_000);
    expect(await replies(a)).toHaveLength(1);
    expect((await unwrap(a, tokens[3]?.token)).status).toBe(200);
    a.clock.advance(3600);
    expect(await a.ca.tickStore("sys")).toBeUndefined();
    expect(await rowsOf(a)).toEqual([]);
  });

  it("from a clock ahead by more than an hour does not open, but from one ahead by less it does", async () => {
    for (const [ahead, answer] of [
      [3600, 200],
      [3601, 400],
    ] as const) {
      const a = await withRole();
      a.clock.advance(ahead);
      const { token } = await wrappedIssue(a);
      a.clock.advance(-ahead);
      const looked = await a.call("POST", "sys/wrapping/lookup", { token });
      expect([ahead, looked.status, (await unwrap(a, token)).status]).toEqual([
        ahead,
        answer,
        answer,
      ]);
    }
  });

  it("is deleted with hundreds of others, and those that have not expired stay", async () => {
    const a = await withRole();
    const { token } = await wrapped(a, "GET", "sys/mounts", undefined, "2h");
    await wrapped(a, "GET", "sys/mounts");
    const ended = Array.from(
      { length: 1200 },
      (_, i) =>
        [
          `wrapped/${i}`,
          { end: start, sealed: new Uint8Array(1) },
          { ends: start / 1000 },
        ] as const,
    );
    await a.stores("sys").commit({ put: ended });
    a.clock.advance(3600);
    await a.ca.tick();
    expect(await replies(a)).toHaveLength(1);
    expect((await unwrap(a, token)).status).toBe(200);
  });
});

/**
 * Creates two authorities over one store whose operations take time, in an order that a seed
 * determines.
 */
async function twoOverOne(seed: number): Promise<readonly [Authority, Authority]> {
  const { open, start: mix } = mixedStores(seed);
  const one = await withRole({ stores: open, seed });
  mix();
  return [one, authority({ stores: open, seed: seed + 1000 })];
}

describe("concurrent unwrapping", () => {
  it.each([1, 2, 3, 4, 5, 6])(
    "by twelve callers through two authorities returns the reply once (seed %i)",
    async (seed) => {
      const [one, other] = await twoOverOne(seed);
      const { token } = await wrappedIssue(one);
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) => unwrap(i % 2 ? one : other, token)),
      );
      const [won, ...rest] = answers.sort((a, b) => a.status - b.status);
      expect([won?.status, won?.data["private_key_type"]]).toEqual([200, "ec"]);
      expect(rest.map(seen)).toEqual(Array.from({ length: 11 }, () => invalid));
    },
  );

  it.each([7, 8, 9])(
    "and rewrapping of one token succeeds once, and a rewrapped token opens once (seed %i)",
    async (seed) => {
      const [one, other] = await twoOverOne(seed);
      const { token } = await wrappedIssue(one);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          (i % 2 ? one : other).call("POST", `sys/wrapping/${i % 3 ? "rewrap" : "unwrap"}`, {
            token,
          }),
        ),
      );
      const won = answers.filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      const next = won[0]?.json["wrap_info"] as { readonly token: string } | null | undefined;
      if (next)
        expect(
          (await Promise.all([unwrap(one, next.token), unwrap(other, next.token)]))
            .map(({ status }) => status)
            .sort(),
        ).toEqual([200, 400]);
      expect(await one.stores("sys").list("wrapped/")).toEqual([]);
    },
  );

  it("of fifty replies returns each to the holder of its token (seed 10)", async () => {
    const [one, other] = await twoOverOne(10);
    const infos = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        wrapped(n % 2 ? one : other, "POST", "sys/wrapping/wrap", { n }),
      ),
    );
    expect(new Set(infos.map(({ token }) => token)).size).toBe(50);
    const opened = await Promise.all(
      infos.map(({ token }, n) => unwrap(n % 3 ? one : other, token)),
    );
    expect(opened.map(({ data }) => data["n"])).toEqual(infos.map((_, n) => n));
  });
});

describe("the log of wrapping", () => {
  it("has the accessor in every event of a token, but never the token or the content of the reply", async () => {
    const a = await withRole();
    a.events.length = 0;
    const first = await wrappedIssue(a);
    await a.call("POST", "sys/wrapping/lookup", { token: first.token });
    const second = await a.sys.rewrapReply({ token: first.token });
    const opened = await unwrap(a, undefined, { token: second.token });
    await unwrap(a, second.token);
    const told = a.events.map(({ endpoint, status, fields }: LogEvent) => [
      endpoint,
      status,
      fields?.["wrap_accessor"],
      fields?.["wrap_ttl"],
    ]);
    expect(told).toEqual([
      ["issue", 200, first.accessor, 60],
      ["lookupWrapping", 200, first.accessor, undefined],
      ["rewrapReply", 200, second.accessor, 60],
      ["unwrap", 200, second.accessor, undefined],
      ["unwrap", 400, undefined, undefined],
    ]);
    const text = JSON.stringify(a.events);
    for (const secret of [
      first.token,
      second.token,
      first.token.slice(5),
      second.token.slice(5),
      opened.data["private_key"],
    ])
      expect(text).not.toContain(secret);
    await wrapped(a, "POST", "sys/wrapping/wrap", { canary: "yellow" });
    expect(JSON.stringify(a.events)).not.toMatch(/canary|yellow/);
  });
});

describe("a wrapped reply of a removed endpoint", () => {
  it("is returned as its handler created it", async () => {
    const [stores, clock] = [memoryStore(), clockAt()];
    const a = await withRole({ stores, clock });
    const { token } = await wrappedIssue(a);
    const later = new Mounts(
      {
        stores,
        now: () => clock.now,
        random: seeded(2),
        authenticate: async () => undefined,
        vault: {
          seal: async (s) => s,
          unseal: async (s) => s,
          signer: () => Promise.reject(new TypeError("nothing is signed here")),
        },
      },
      { types: Object.values(mountTypes), jobs },
    );
    const response = await serveHttp(
      {
        deployment: later,
        api: engineApi({
          mounts: { pki: { endpoints: [] } },
          methods: {},
          sys: { endpoints: sys },
          auth: { endpoints: [] },
          identity: { endpoints: [] },
          cubbyhole: { endpoints: [] },
        }),
      },
      new Request("http://ca.test/v1/sys/wrapping/unwrap", {
        method: "PUT",
        headers: { "x-service-token": token },
      }),
    );
    const { data } = (await response.json()) as {
      readonly data: Readonly<Record<string, unknown>>;
    };
    expect([response.status, data["private_key_type"], typeof data["expiration"]]).toEqual([
      200,
      "ec",
      "number",
    ]);
  });
});
