import fc from "fast-check";
import { toHex } from "../../src/base/bytes.ts";
import { describe, expect, it } from "vitest";
import {
  generateSerial,
  parseSerial,
  verifySerial,
  serialKey,
  serialText,
  uuid,
  type Mac,
} from "../../src/base/ids.ts";
import { idBeside, slotOfId, slotStart, uuidWithSlot } from "../../src/base/slot-ids.ts";
import { forSeeds } from "./seeds.ts";

/**
 * Reports whether the last ten octets of a serial number are the keyed hash of the first ten, apart
 * from the last digit.
 */
async function proves(serial: Uint8Array, mac: Mac): Promise<boolean> {
  const expected = (await mac(serial.slice(0, 10))).slice(0, 10);
  return toHex(serial.subarray(10)).slice(0, 19) === toHex(expected).slice(0, 19);
}

/** Returns a deterministic source of random bytes. */
function chance(seed: number): (bytes: number) => Uint8Array {
  let state = seed >>> 0;
  return (bytes) =>
    Uint8Array.from(
      { length: bytes },
      () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 24,
    );
}
async function hmac(secret: string): Promise<Mac> {
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return async (data) =>
    new Uint8Array(await crypto.subtle.sign("HMAC", key, new Uint8Array(data)));
}

describe("UUIDs", () => {
  it("have version 4 and the variant of the RFC", () => {
    expect(uuid(() => new Uint8Array(16))).toBe("00000000-0000-4000-8000-000000000000");
    expect(uuid(() => new Uint8Array(16).fill(255))).toBe("ffffffff-ffff-4fff-bfff-ffffffffffff");
    expect(uuid(() => Uint8Array.from({ length: 16 }, (_, at) => at))).toBe(
      "00010203-0405-4607-8809-0a0b0c0d0e0f",
    );
  });
});

describe("IDs with a slot", () => {
  it("are UUIDs of version 8 that begin with one of 64 slots", () => {
    const random = chance(3);
    const ids = Array.from({ length: 2000 }, () => uuidWithSlot(random));
    for (const id of ids)
      expect(id).toMatch(/^[0-3][\da-f]{7}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(new Set(ids).size).toBe(2000);
    expect(new Set(ids.map(slotOfId)).size).toBe(64);
    expect(ids.map(slotOfId)).toEqual(ids.map((id) => Number.parseInt(id.slice(0, 2), 16)));
  });

  it("have the slot of another ID if they belong to it, and none if it has none", () => {
    const random = chance(4);
    for (let round = 0; round < 100; round++) {
      const account = uuidWithSlot(random);
      const [order, other] = [idBeside(random, account), idBeside(random, account)];
      expect([slotOfId(order), order.length]).toEqual([slotOfId(account), account.length]);
      expect([slotStart(account), order === other]).toEqual([order.slice(0, 3), false]);
      expect(slotStart(idBeside(random, order))).toBe(order.slice(0, 3));
    }
    expect(idBeside(random, uuid(random))).toMatch(/^[\da-f]{8}-[\da-f]{4}-4/);
  });

  it("are no other IDs", () => {
    const version4 = "0a000000-0000-4000-8000-000000000000";
    const others = [
      "p40",
      "p3F",
      "q00",
      "0p00",
      "",
      version4,
      version4.replace("-4", "-8").slice(1),
    ];
    expect(others.map(slotOfId)).toEqual(others.map(() => undefined));
    expect([slotOfId("p3f"), slotOfId(version4.replace("-4", "-8"))]).toEqual([63, 10]);
    expect(slotStart(version4)).toBeUndefined();
  });
});

describe("serial numbers", () => {
  it("are 20 octets, positive, half random and half its keyed hash, with a last digit of 0", async () => {
    const mac = await hmac("one");
    const random = chance(7);
    const seen = new Set<string>();
    for (let round = 0; round < 500; round++) {
      const serial = await generateSerial(random, mac);
      expect(serial.length).toBe(20);
      expect(serial[0]).toBeGreaterThan(0);
      expect(serial[0]).toBeLessThan(0x80);
      const expected = (await mac(serial.slice(0, 10))).slice(0, 10);
      expect(serialKey(serial).slice(20)).toBe(
        `${serialKey(Uint8Array.of(1, ...expected)).slice(2, 21)}0`,
      );
      expect(await proves(serial, mac)).toBe(true);
      seen.add(serialKey(serial));
    }
    expect(seen.size).toBe(500);
  });
  it("are generated again if the first octet would be zero", async () => {
    const draws = [0x00, 0x80, 0x81];
    let asked = 0;
    const serial = await generateSerial(
      (bytes) => new Uint8Array(bytes).fill(draws[asked++] ?? 0),
      await hmac("one"),
    );
    expect([asked, serial[0], serial[1]]).toEqual([3, 0x01, 0x81]);
  });
  it("do not verify with another mount's key, or after a change of any bit except the reserved ones", async () => {
    const [mac, other] = [await hmac("one"), await hmac("two")];
    const serial = await generateSerial(chance(9), mac);
    expect(await verifySerial(serial, mac)).toBe(true);
    expect(await verifySerial(serial, other)).toBe(false);
    for (let bit = 0; bit < 160; bit++) {
      const changed = serial.slice();
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7));
      expect(await verifySerial(changed, mac)).toBe(bit >= 156);
    }
    const wrong = [
      serial.slice(1),
      Uint8Array.of(0, ...serial),
      new Uint8Array(),
      new Uint8Array(20),
    ];
    for (const one of wrong) expect(await verifySerial(one, mac)).toBe(false);
  });
  it("do not verify if they are negative or begin with zero, even with a valid MAC", async () => {
    const mac = await hmac("one");
    for (const first of [0x00, 0x80, 0xff]) {
      const drawn = Uint8Array.of(first, 2, 3, 4, 5, 6, 7, 8, 9, 10);
      const negative = Uint8Array.of(...drawn, ...(await mac(drawn)).slice(0, 10));
      expect(await verifySerial(negative, mac)).toBe(false);
    }
  });
  it("contain a MAC that only their own mount's key verifies", async () => {
    const [mac, other] = [await hmac("one"), await hmac("two")];
    const serial = await generateSerial(chance(3), mac);
    expect([await proves(serial, mac), await proves(serial, other)]).toEqual([true, false]);
  });
  it("are not generated from a broken random source", async () => {
    const mac = await hmac("one");
    await expect(generateSerial((bytes) => new Uint8Array(bytes), mac)).rejects.toThrow(TypeError);
    await expect(generateSerial((bytes) => new Uint8Array(bytes + 1).fill(1), mac)).rejects.toThrow(
      TypeError,
    );
  });
  it("are not generated with a MAC that is too short", async () => {
    await expect(generateSerial(chance(1), async () => new Uint8Array(9))).rejects.toThrow(
      TypeError,
    );
  });
});

describe("texts of serial numbers", () => {
  it.each([
    ["01:ab:FF", "01abff"],
    ["01-ab-ff", "01abff"],
    ["01ABff", "01abff"],
    ["00:80:01", "8001"],
    ["008001", "8001"],
    ["00", "00"],
    ["0000", "00"],
    [`00${"ab".repeat(20)}`, "ab".repeat(20)],
    [Array(20).fill("7f").join(":"), "7f".repeat(20)],
    [`00:${Array(20).fill("7f").join(":")}`, "7f".repeat(20)],
  ])("are parsed: %s is %s", (text, key) => {
    expect(serialKey(parseSerial(text) ?? new Uint8Array())).toBe(key);
  });
  it.each([
    "",
    "1",
    "123",
    "0x12",
    "1:2",
    "01:",
    ":01",
    "01::02",
    "01:02-03",
    "01-02:03",
    "zz",
    "01 02",
    "01:02\n",
    "ab".repeat(21),
    Array(21).fill("01").join(":"),
    "0".repeat(1_000_000),
  ])("are rejected: %.80j", (text) => {
    expect(parseSerial(text)).toBeUndefined();
  });
  it("are printed in lower case without a leading zero octet, and parsed back", () => {
    expect(serialText(Uint8Array.of(0, 0x0a, 0xff))).toBe("0a:ff");
    forSeeds(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 20 }), (bytes) => {
        fc.pre(bytes[0] !== 0);
        for (const text of [
          serialText(bytes),
          serialKey(bytes),
          serialText(bytes).replaceAll(":", "-"),
          serialText(bytes).toUpperCase(),
        ])
          expect(parseSerial(text)).toEqual(bytes);
      }),
    );
  });
});
