import { describe, expect, it } from "vitest";
import { fromBase64, fromHex, toBase64, toHex, utf8 } from "../../src/base/bytes.ts";
import { authority, seeded } from "../support/authority.ts";
import { seen, unwrap, wrapped } from "../support/wrapping.ts";

const abc = toBase64(utf8("abc"));
/** Hashes of "abc": the examples of FIPS 180-4. */
const examples = {
  "sha2-224": "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
  "sha2-256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  "sha2-384":
    "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
  "sha2-512":
    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
} as const;

describe("hashData", () => {
  it("uses the algorithm of the path, else of the body, else SHA-256", async () => {
    const a = authority();
    const sum = async (path: string, body: object) =>
      (await a.call("POST", `sys/tools/hash${path}`, { input: abc, ...body })).data["sum"];
    for (const [algorithm, hash] of Object.entries(examples)) {
      expect(await sum("", { algorithm })).toBe(hash);
      expect(await sum(`/${algorithm}`, { algorithm: "sha2-512" })).toBe(hash);
    }
    expect(await sum("", {})).toBe(examples["sha2-256"]);
    expect(await sum("", { format: "base64" })).toBe(toBase64(fromHex(examples["sha2-256"])));
    expect(await sum("", { input: "" })).toMatch(/^e3b0c44298fc1c14/);
  });
  it("rejects other algorithms, other formats and invalid base64, and names them", async () => {
    const a = authority();
    const sent = async (path: string, body: object) =>
      seen(await a.call("POST", `sys/tools/hash${path}`, { input: abc, ...body }));
    const unknown = (name: string) =>
      `unsupported algorithm "${name}": use one of ${Object.keys(examples).join(", ")}`;
    expect(await sent("", { algorithm: "md5" })).toEqual([400, [unknown("md5")]]);
    expect(await sent("", { algorithm: "sha3-256" })).toEqual([400, [unknown("sha3-256")]]);
    expect(await sent("/md5", { algorithm: "sha2-256" })).toEqual([400, [unknown("md5")]]);
    expect(await sent("", { format: "toString" })).toEqual([
      400,
      ['unsupported format "toString": use hex or base64'],
    ]);
    for (const input of ["YWJ", "YWJj\n", "_-8="])
      expect(await sent("", { input })).toEqual([
        400,
        ["input must be base64 of the standard alphabet with padding"],
      ]);
    expect((await a.call("POST", "sys/tools/hash", {})).status).toBe(400);
  });
});

/**
 * Creates an authority that counts its random bytes, from a source that generates 65,536 at once.
 */
function counting() {
  const source = seeded(3);
  const made: string[] = [];
  const a = authority({
    random: (bytes) => {
      if (bytes > 65_536) throw new TypeError("too many at once");
      const piece = source(bytes);
      made.push(toHex(piece));
      return piece;
    },
  });
  return { a, made };
}
describe("randomBytes", () => {
  it("returns as many bytes of the injected source as the path requests, else the body, else 32", async () => {
    const { a, made } = counting();
    for (const [path, body, count] of [
      ["", {}, 32],
      ["", { bytes: 5 }, 5],
      ["", { bytes: "7", source: "all" }, 7],
      ["/64", { bytes: 5 }, 64],
      ["/64", { source: "all" }, 64],
      ["/platform", { bytes: 5, source: "seal" }, 5],
      ["/all/1", { bytes: 5 }, 1],
      ["/platform/131072", {}, 131_072],
    ] as const) {
      made.length = 0;
      const { data, status } = await a.call("POST", `sys/tools/random${path}`, body);
      const bytes = fromBase64(String(data["random_bytes"]));
      expect([path, status, bytes?.length]).toEqual([path, 200, count]);
      expect(made.join("")).toContain(toHex(bytes ?? utf8("none")));
    }
    const hex = await a.call("POST", "sys/tools/random/16", { format: "hex" });
    expect(hex.data["random_bytes"]).toMatch(/^[0-9a-f]{32}$/);
  });
  it("rejects counts out of range, other sources and other formats, and names them", async () => {
    const { a } = counting();
    for (const [path, body, text] of [
      ["", { bytes: 0 }, "bytes must be 1 to 131072, got 0"],
      ["", { bytes: -1 }, "bytes must be 1 to 131072, got -1"],
      ["", { bytes: 131_073 }, "bytes must be 1 to 131072, got 131073"],
      ["/0", { bytes: 5 }, "bytes must be 1 to 131072, got 0"],
      ["/131073", {}, "bytes must be 1 to 131072, got 131073"],
      ["/platform/1e3", {}, "bytes must be 1 to 131072, got 1e3"],
      ["/moon", {}, 'unsupported source "moon": use platform or all'],
      ["/moon/5", {}, 'unsupported source "moon": use platform or all'],
      ["", { source: "seal" }, /^unsupported source "seal": .*use platform$/],
      ["/seal/5", {}, /^unsupported source "seal": .*use platform$/],
      ["/5", { source: "moon" }, 'unsupported source "moon": use platform or all'],
      ["", { format: "text" }, 'unsupported format "text": use hex or base64'],
    ] as const)
      expect([path, ...seen(await a.call("POST", `sys/tools/random${path}`, body))]).toEqual([
        path,
        400,
        [typeof text === "string" ? text : expect.stringMatching(text)],
      ]);
  });
  it("supports response wrapping", async () => {
    const { a } = counting();
    const { token } = await wrapped(a, "POST", "sys/tools/random/16", { format: "hex" });
    expect((await unwrap(a, token)).data["random_bytes"]).toMatch(/^[0-9a-f]{32}$/);
  });
});
