import fc from "fast-check";
import { it } from "vitest";
import { exchange } from "../../src/net/http.ts";
import { NetError } from "../../src/net/failure.ts";
import { forSeeds } from "../base/seeds.ts";
import { bytesOf, peer } from "./streams.ts";

const ok = "HTTP/1.1 200 OK\r\n";
const answers = [
  `${ok}Content-Length: 5\r\n\r\nhello, more`,
  `${ok}\r\nhello until the end`,
  `HTTP/1.0 404 No\nServer: x\n\nhello`,
  `HTTP/1.1 100 C\r\n\r\nHTTP/1.1 103 H\r\nLink: a\r\n\r\n${ok}Content-Length: 2\r\n\r\nok`,
  `${ok}Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n1\r\nd\r\n0\r\nX: y\r\n\r\n`,
  `${ok}Transfer-Encoding: chunked\r\n\r\n${"c8\r\n".concat("x".repeat(200), "\r\n").repeat(4)}0\r\n\r\n`,
  `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `HTTP/1.1 302 F\r\nLocation: http://a/\r\nContent-Length: 900\r\n\r\n${"y".repeat(900)}`,
];

/** Returns everything that a caller can observe of a response that arrives in these parts. */
async function learned(parts: readonly Uint8Array[]): Promise<string> {
  try {
    const request = { method: "GET", target: "/", host: "a" };
    const response = await exchange(peer(parts), request, new AbortController().signal);
    const body = await response.body(512).catch((error: unknown) => error);
    if (body instanceof Error && !(body instanceof NetError)) throw body;
    return JSON.stringify([response.status, [...response.headers], String(body)]);
  } catch (error) {
    if (error instanceof NetError) return error.message;
    throw error;
  }
}

const cut = (bytes: Uint8Array, at: readonly number[]): readonly Uint8Array[] => {
  const ends = [...new Set(at.map((one) => one % (bytes.length + 1))), bytes.length].sort(
    (a, b) => a - b,
  );
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
};
const mutated = (
  bytes: Uint8Array,
  changes: readonly (readonly [number, number])[],
): Uint8Array => {
  const copy = bytes.slice();
  for (const [at, value] of changes) copy[at % copy.length] = value;
  return copy;
};

it("exchange: the result does not depend on how a response is split, and any corrupted response is parsed or rejected", async () => {
  const runs: Promise<void>[] = [];
  forSeeds(
    fc.property(
      fc.constantFrom(...answers),
      fc.array(fc.nat(), { maxLength: 60 }),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(0, 9, 10, 13, 32, 48, 49, 58, 59, 102, 255)), {
        maxLength: 3,
      }),
      (answer, at, changes) => {
        const bytes = mutated(bytesOf(answer), changes);
        runs.push(
          Promise.all([learned([bytes]), learned(cut(bytes, at))]).then(([whole, parts]) => {
            if (whole !== parts)
              throw new Error(`${JSON.stringify([at, changes])}: ${whole} ${parts}`);
          }),
        );
      },
    ),
  );
  await Promise.all(runs);
});
