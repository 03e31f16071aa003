import { connect, type Socket } from "node:net";

/** A load: the requests, the number of connections, and the duration. */
export interface Load {
  /** `http://host:port`, or `unix:<path>`. */
  readonly url: string;
  readonly connections: number;
  /** Returns the bytes of request number `n`. */
  request(n: number): Buffer;
  readonly seconds?: number;
  /** Maximum number of requests. `seconds` may end the load earlier. */
  readonly count?: number;
  /** Called with the body of each response. */
  body?(text: string): void;
}
/** The result of a load. Latencies are in ms. */
export interface LoadResult {
  readonly count: number;
  readonly seconds: number;
  readonly rps: number;
  readonly p50: number;
  readonly p99: number;
  readonly bytes: number;
  /**
   * Number of responses with a status other than 200 and 204, plus the number of broken
   * connections.
   */
  readonly errors: number;
  /** Text of the first error; empty if there was none. */
  readonly firstError: string;
}

/** Returns a POST request with a body, for a persistent HTTP/1.1 connection. */
export function post(path: string, token: string, body: string): Buffer {
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: bench\r\nX-Vault-Token: ${token}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
/** Returns a GET request. */
export function get(path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`);
}

interface Run {
  readonly load: Load;
  readonly end: number;
  readonly latencies: number[];
  sent: number;
  bytes: number;
  errors: number;
  firstError: string;
}

/** Sends requests, one at a time on each connection, and measures their latency. */
export async function drive(load: Load): Promise<LoadResult> {
  const begun = performance.now();
  const run: Run = {
    load,
    end: begun + (load.seconds ?? 600) * 1000,
    latencies: [],
    sent: 0,
    bytes: 0,
    errors: 0,
    firstError: "",
  };
  await Promise.all(
    Array.from({ length: load.connections }, () =>
      talk(run, connect({ ...addressOf(load.url), noDelay: true })),
    ),
  );
  const seconds = (performance.now() - begun) / 1000;
  const sorted = Float64Array.from(run.latencies).sort();
  const at = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
  const { bytes, errors, firstError } = run;
  return {
    count: sorted.length,
    seconds,
    rps: sorted.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
    bytes,
    errors,
    firstError,
  };
}

function addressOf(url: string): { path: string } | { host: string; port: number } {
  if (url.startsWith("unix:")) return { path: url.slice("unix:".length) };
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

function fail(run: Run, why: string): void {
  run.errors += 1;
  run.firstError ||= why;
}

function talk(run: Run, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    let since = 0;
    let answer = answerReader(run);
    const next = (): void => {
      if (performance.now() >= run.end || run.sent >= (run.load.count ?? Infinity))
        return void socket.end();
      answer = answerReader(run);
      since = performance.now();
      socket.write(run.load.request(run.sent++));
    };
    socket.on("connect", next);
    socket.on("data", (chunk: Buffer) => {
      if (!answer(chunk)) return;
      run.latencies.push(performance.now() - since);
      since = 0;
      next();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (since !== 0) fail(run, "the connection broke");
      resolve();
    });
  });
}

/**
 * Returns a function that collects the chunks of a response and reports whether it is complete.
 * Bodies are collected only if the load reads them.
 */
function answerReader(run: Run): (chunk: Buffer) => boolean {
  let head: Buffer | undefined;
  let left = -1;
  let status = "";
  const body: Buffer[] = [];
  const ended = (): boolean => {
    const good = status === "200" || status === "204";
    if (!good) fail(run, `${status} ${Buffer.concat(body).toString("utf8").slice(0, 300)}`);
    else run.load.body?.(Buffer.concat(body).toString("utf8"));
    return true;
  };
  return (chunk) => {
    run.bytes += chunk.length;
    let bytes = chunk;
    if (left < 0) {
      bytes = head ? Buffer.concat([head, chunk]) : chunk;
      const end = bytes.indexOf("\r\n\r\n", 0, "latin1");
      if (end < 0) {
        head = bytes;
        return false;
      }
      const text = bytes.toString("latin1", 0, end);
      status = text.slice(9, 12);
      const length = /\r\ncontent-length: *([0-9]+)/i.exec(text)?.[1];
      if (length === undefined && status !== "204")
        fail(run, `a response without a length: ${text}`);
      left = Number(length ?? 0);
      bytes = bytes.subarray(end + 4);
    }
    left -= bytes.length;
    if (run.load.body !== undefined || (status !== "200" && status !== "204")) body.push(bytes);
    return left <= 0 && ended();
  };
}
