import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equalBytes } from "../../src/base/bytes.ts";
import { connectTls, TlsError } from "../../src/net/tls.ts";
import { forSeedsInTurn } from "../base/seeds.ts";
import { certificate, readAll, trusting } from "./tls-fixture.ts";
import { FaultyServer, pipe, type Faults } from "./tls-server.ts";

const own = await certificate({ names: { dns: ["peer.example"] } });
const versions = ["1.3", "1.2"] as const;
const right = "data of the server";

/** Returns the outcome for a client whose server's bytes pass through a transform. */
async function through(
  faults: Faults,
  change: TransformStream<Uint8Array, Uint8Array>,
  signal: AbortSignal = AbortSignal.timeout(10_000),
): Promise<string | TlsError> {
  const { client, server } = pipe(change);
  const serving = new FaultyServer(server, own, faults).run();
  try {
    const tls = await connectTls(client, trusting({ signal }));
    expect(tls.chain.map((der) => equalBytes(der, own.der))).toEqual([true]);
    const data = (await readAll(tls.readable)).toString();
    tls.close();
    return data;
  } catch (error) {
    if (error instanceof TlsError) return error;
    throw error;
  } finally {
    await client.closed;
    await serving;
  }
}

/** Passes a number of bytes, then runs an action instead of passing the rest. */
function upTo(
  count: number,
  then: (controller: TransformStreamDefaultController<Uint8Array>) => void,
): TransformStream<Uint8Array, Uint8Array> {
  let left = count;
  return new TransformStream({
    transform(bytes, controller) {
      if (left > 0) controller.enqueue(bytes.subarray(0, left));
      if (left >= 0 && left <= bytes.length) then(controller);
      left -= bytes.length;
    },
  });
}
const never = Number.MAX_SAFE_INTEGER;

/** Returns the number of bytes that the server sends in total. */
async function lengthOf(version: "1.3" | "1.2"): Promise<number> {
  let length = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      length += bytes.length;
      controller.enqueue(bytes);
    },
  });
  expect(await through({ version }, counting)).toBe(right);
  return length;
}

describe.each(versions)("a TLS %s connection", (version) => {
  it("that ends at any byte without close_notify is an error", async () => {
    const length = await lengthOf(version);
    // ECDSA signatures vary in length by a few bytes
    for (let at = 0; at < length - 16; at += 13)
      expect(
        await through(
          { version },
          upTo(at, (to) => to.terminate()),
        ),
      ).toMatchObject({
        kind: "closed",
        alert: undefined,
      });
  });

  it("that breaks at any byte is an error", async () => {
    const reset = new Error("reset by peer");
    const length = await lengthOf(version);
    for (let at = 0; at < length - 16; at += 131)
      expect(
        await through(
          { version },
          upTo(at, (to) => to.error(reset)),
        ),
      ).toMatchObject({
        kind: "closed",
        cause: reset,
      });
  });

  it("that stalls at any byte is aborted by the signal with its reason", async () => {
    const length = await lengthOf(version);
    for (let at = 0; at < length - 16; at += 29) {
      const giving = new AbortController();
      const enough = new Error("enough");
      const stalling = upTo(at, () => queueMicrotask(() => giving.abort(enough)));
      expect(await through({ version }, stalling, giving.signal)).toMatchObject({
        kind: "aborted",
        cause: enough,
      });
    }
  });

  it("whose signal is already aborted is not opened", async () => {
    expect(
      await through(
        { version },
        upTo(never, () => undefined),
        AbortSignal.abort(),
      ),
    ).toMatchObject({
      kind: "aborted",
    });
  });

  // any record except the last, after which nothing is read
  const change = fc.record({
    record: fc.nat({ max: version === "1.3" ? 5 : 6 }),
    at: fc.nat({ max: 1000 }),
    bit: fc.nat({ max: 7 }),
    how: fc.constantFrom("flip", "drop", "insert", "twice", "swap"),
  });
  it("is closed even if cancelling its stream throws", async () => {
    const { client } = pipe();
    const giving = new AbortController();
    const reader = client.readable.getReader();
    // like a platform stream whose source has failed
    reader.cancel = () => {
      throw new TypeError("cancelAlgorithm is not a function");
    };
    const readable = Object.assign(new ReadableStream<Uint8Array>(), { getReader: () => reader });
    const connecting = connectTls(
      { ...client, readable },
      trusting({ signal: giving.signal }),
    ).catch((error: unknown) => error);
    giving.abort();
    expect(await connecting).toMatchObject({ kind: "aborted" });
    await client.closed;
  });

  it("whose bytes were changed in transit is never accepted", () =>
    forSeedsInTurn(
      fc.asyncProperty(change, async (mutation) => {
        const outcome = await through({ version }, mutating(mutation));
        expect(outcome).toBeInstanceOf(TlsError);
      }),
    ));
});

interface Mutation {
  readonly record: number;
  readonly at: number;
  readonly bit: number;
  readonly how: string;
}
/**
 * Changes one record of the server, or swaps it with the next, and passes all others. Afterwards
 * both sides may wait for missing bytes, so the connection is ended soon.
 */
function mutating({ record, at, bit, how }: Mutation): TransformStream<Uint8Array, Uint8Array> {
  let number = -1;
  let held: Uint8Array | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;
  return new TransformStream({
    transform(bytes, controller) {
      number++;
      if (number < record) return controller.enqueue(bytes);
      clearTimeout(idle);
      idle = setTimeout(() => controller.terminate(), 25);
      const changed =
        how === "swap"
          ? [bytes, ...(held ? [held] : [])]
          : mutated(bytes, at % bytes.length, bit, how);
      if (number > record && !held) controller.enqueue(bytes);
      else if (how === "swap" && !held) held = bytes;
      else {
        for (const one of changed) controller.enqueue(one);
        held = undefined;
      }
    },
  });
}
function mutated(bytes: Uint8Array, at: number, bit: number, how: string): readonly Uint8Array[] {
  const copy = bytes.slice();
  // the version of a plaintext record is neither authenticated nor read
  const place = at === 2 ? 1 : at;
  copy[place] = (copy[place] ?? 0) ^ (1 << bit);
  switch (how) {
    case "drop":
      return [bytes.subarray(0, at), bytes.subarray(at + 1)];
    case "insert":
      return [bytes.subarray(0, at), Uint8Array.of(bit), bytes.subarray(at)];
    case "twice":
      return [bytes, bytes];
    default:
      return [copy];
  }
}

describe("memory of a TLS connection", () => {
  /** Returns an endless source that starts with these bytes, and the number of bytes read from it. */
  function endless(first: Uint8Array, then: Uint8Array) {
    let given = 0;
    const readable = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = given === 0 ? first : then;
        given += piece.length;
        controller.enqueue(piece);
      },
    });
    return { readable, given: () => given };
  }
  const record = (type: number, body: readonly number[]): Uint8Array =>
    Uint8Array.of(type, 3, 3, body.length >> 8, body.length & 255, ...body);

  it.each([
    ["fragments of a message", record(22, [2, 0, 255, 255]), record(22, [0]), 60_000],
    ["a message that is too long", record(22, [2, 1, 0, 1]), record(22, [0]), 1000],
    ["change_cipher_spec", record(20, [1]), record(20, [1]), 1000],
    ["warnings", record(21, [1, 112]), record(21, [1, 112]), 1000],
    ["empty records", record(22, []), record(22, []), 1000],
    ["bytes without meaning", Uint8Array.of(22, 3, 3, 255, 255), Uint8Array.of(1), 1000],
  ])("is bounded if the server endlessly sends %s", async (_, first, then, max) => {
    const { readable, given } = endless(first, then);
    let closed = 0;
    const connection = {
      readable,
      writable: new WritableStream<Uint8Array>(),
      close: () => closed++,
    };
    await expect(connectTls(connection, trusting())).rejects.toMatchObject({ kind: "protocol" });
    expect(given()).toBeLessThan(max);
  });
});
