import { connect, type Socket } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { forSeedsInTurn } from "../base/seeds.ts";
import { serving, type Serving } from "./http-fixture.ts";
import { answerOf, answersIn, obedient, type Answer, type Sent, type Told } from "./http-mixed.ts";

let listener: Serving;
beforeAll(async () => {
  // a hang must be detected, not hidden by a timeout of the server
  const long = 3_600_000;
  const limits = {
    headMs: long,
    idleMs: long,
    bodyMs: long,
    answerMs: long,
    takeMs: long,
    lingerMs: long,
  };
  listener = await serving({ respond: obedient, limits });
});
afterAll(() => listener.close(0));

const size = fc.oneof(
  { weight: 16, arbitrary: fc.integer({ min: 0, max: 600 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 70_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 200_000, max: 300_000 }) },
);
const one = fc.record({
  method: fc.constantFrom("GET", "GET", "HEAD", "POST", "POST", "PUT", "DELETE"),
  body: fc.oneof(fc.constant(0), size),
  chunks: fc.option(fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 3 })),
  extras: fc.boolean(),
  expects: fc.integer({ min: 0, max: 4 }),
  version: fc.integer({ min: 0, max: 14 }),
  closes: fc.integer({ min: 0, max: 9 }),
  emptyLine: fc.integer({ min: 0, max: 7 }),
  size,
  framed: fc.constantFrom("length" as const, "chunked" as const),
  early: fc.constantFrom(false, false, false, true),
  turns: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 8 })),
  status: fc.constantFrom(200, 200, 404, 204, 500),
});
type One = typeof one extends fc.Arbitrary<infer T> ? T : never;

function sent(it: One, id: number): Sent {
  const http10 = it.version === 0;
  const close = it.closes === 0 || http10;
  const chunks = http10 ? null : it.chunks;
  const bodyless = it.status === 204;
  const told: Told = {
    id,
    size: bodyless ? 0 : it.size,
    framed: bodyless ? "length" : it.framed,
    early: it.early,
    turns: it.turns,
    status: it.status === 204 && it.method !== "HEAD" ? 200 : it.status,
  };
  const body = Buffer.alloc(it.method === "GET" && it.body > 600 ? 0 : it.body, `body ${id};`);
  const lines = [
    `${it.method} /${encodeURIComponent(JSON.stringify(told))} HTTP/1.${http10 ? 0 : 1}`,
    "Host: a",
    ...(close && !http10 ? ["Connection: close"] : []),
    ...(it.expects === 0 ? ["Expect: 100-continue"] : []),
    ...(chunks
      ? ["Transfer-Encoding: chunked"]
      : body.length > 0 || it.extras
        ? [`Content-Length: ${body.length}`]
        : []),
  ];
  const head = Buffer.from(`${it.emptyLine === 0 ? "\r\n" : ""}${lines.join("\r\n")}\r\n\r\n`);
  return {
    ...told,
    method: it.method,
    http10,
    close,
    body,
    head,
    framedBody: chunks ? chunked(body, chunks, it.extras) : body,
  };
}
function chunked(body: Buffer, sizes: readonly number[], extras: boolean): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0, n = 0; at < body.length; n++) {
    const piece = body.subarray(
      at,
      at + (sizes[n % sizes.length] ?? 1) * (body.length > 100_000 ? 40 : 1),
    );
    // the length of extensions per request is limited
    const extension = extras && n < 100 ? ";a=b" : "";
    parts.push(
      Buffer.from(`${piece.length.toString(16)}${extension}\r\n`),
      piece,
      Buffer.from("\r\n"),
    );
    at += piece.length;
  }
  return Buffer.concat([...parts, Buffer.from(`0\r\n${extras ? "T: 1\r\n" : ""}\r\n`)]);
}

const manner = fc.record({
  cuts: fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 60 }) },
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 2000 }) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 200_000 }) },
    ),
    { minLength: 1, maxLength: 12 },
  ),
  pauses: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 5 }),
  /** Where the client ends its side, in ten thousandths of all bytes; null: not before the responses. */
  ends: fc.option(fc.oneof(fc.constant(10_000), fc.integer({ min: 0, max: 10_000 }))),
  /** Event loop turns for which reading pauses after each chunk. */
  dull: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4 })),
});
type Manner = typeof manner extends fc.Arbitrary<infer T> ? T : never;

const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await new Promise((resolve) => void setImmediate(resolve));
};

async function converse(
  bytes: Buffer,
  how: Manner,
  isEnough: (all: Buffer) => boolean,
): Promise<Buffer> {
  const socket = connect({
    port: listener.port,
    host: "127.0.0.1",
    allowHalfOpen: true,
  }).setNoDelay(true);
  const pieces: Buffer[] = [];
  let closed = false;
  const over = new Promise<void>(
    (resolve) => void socket.on("close", () => ((closed = true), resolve())),
  );
  socket.on("error", () => undefined);
  socket.on("end", () => socket.end());
  socket.on("data", (piece: Buffer) => {
    pieces.push(piece);
    if (how.ends === null && isEnough(Buffer.concat(pieces))) socket.end();
    if (how.dull === 0) return;
    socket.pause();
    void turns(how.dull).then(() => socket.resume());
  });
  await write(socket, bytes, how, () => closed);
  if (how.ends !== null) socket.end();
  await over;
  return Buffer.concat(pieces);
}
async function write(socket: Socket, bytes: Buffer, how: Manner, isOver: () => boolean) {
  for (let at = 0, n = 0; at < bytes.length && !isOver(); n++) {
    // a long sequence of single bytes would test nothing more
    const cut = (how.cuts[n % how.cuts.length] ?? 1) * (n > 100 ? 100 : 1);
    const piece = bytes.subarray(at, at + cut);
    at += cut;
    if (!socket.writable) return;
    if (n % 3 === 0) socket.write(piece);
    // the callback also runs, with an error, when the connection ends
    else await new Promise<void>((resolve) => void socket.write(piece, () => resolve()));
    await turns(how.pauses[n % how.pauses.length] ?? 0);
  }
}

/** Returns the responses expected if the client ends its side at `stop`, and the fate of the rest. */
function wanted(
  requests: readonly Sent[],
  stop: number,
): { answers: string[]; half: "no" | "cut" | "unsure" } {
  let at = 0;
  const answers: string[] = [];
  for (const request of requests) {
    const end = at + request.head.length + request.framedBody.length;
    // an early response may have been sent before, and may be cut off by the end; an empty line is
    // ignored
    if (stop < end) {
      const half = stop === at ? "no" : !request.early && stop > at + 2 ? "cut" : "unsure";
      return { answers, half };
    }
    answers.push(
      request.method === "HEAD" ? answerOf(request).replace(/ [^ ]*$/, " -") : answerOf(request),
    );
    if (request.close) break;
    at = end;
  }
  return { answers, half: "no" };
}

async function judged(requests: readonly Sent[], how: Manner): Promise<void> {
  const all = Buffer.concat(requests.flatMap(({ head, framedBody }) => [head, framedBody]));
  const stop = how.ends === null ? all.length : Math.floor((all.length * how.ends) / 10_000);
  const want = wanted(requests, stop);
  const methods = requests.map(({ method }) => method);
  const parsed = (bytes: Buffer): readonly Answer[] | undefined => {
    try {
      return answersIn(bytes, methods);
    } catch {
      return undefined;
    }
  };
  const bytes = await converse(
    all.subarray(0, stop),
    how,
    (so) => (parsed(so)?.length ?? 0) >= want.answers.length,
  );
  const got =
    want.half === "unsure"
      ? answersIn(bytes, methods, want.answers.length)
      : answersIn(bytes, methods);
  const texts = got.map(({ text }) => text);
  expect(texts.slice(0, want.answers.length)).toEqual(want.answers);
  // an incomplete request is rejected once, unless it was answered before
  if (want.half !== "unsure")
    expect(texts.length - want.answers.length).toBe(want.half === "cut" ? 1 : 0);
}

it("the server answers each request once and in order, however the bytes are split", async () => {
  await forSeedsInTurn(
    fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 6 }), manner, async (some, how) => {
      await judged(some.map(sent), how);
    }),
  );
  await expect.poll(() => listener.connections).toBe(0);
});
