import { varsApi } from "../src/vars/index.ts";
import { createCa, memoryStore } from "../src/index.ts";
import { atLeast, atMost, figure, median, round } from "./figures.ts";
import { workers } from "./flags.ts";
import { drive, get, type LoadResult } from "./load.ts";
import { secretIn, startFloor } from "./programs.ts";
import { startSubject, type Subject } from "./server.ts";

const media = "application/vnd.api+json";
const connections = 32;
const variables = 1000;
/** A value that makes the row of a variable 700 bytes long. */
const value = "v".repeat(420);

type Document = Readonly<Record<string, unknown>>;
/** A function that calls the variables API and returns the document in the response. */
type Call = (method: string, path: string, body?: unknown) => Promise<Document>;
const callOf =
  (send: (request: Request) => Promise<Response>, url: string, token: string): Call =>
  async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": media };
    const answer = await send(
      new Request(`${url}/api/v2${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`);
    return JSON.parse(text);
  };
const idOf = (document: Document): string => (document["data"] as { readonly id: string }).id;
const idsOf = (document: Document): readonly string[] =>
  (document["data"] as readonly { readonly id: string }[]).map(({ id }) => id);

/** Creates a workspace with a thousand variables. */
async function prepared(
  call: Call,
): Promise<{ readonly workspace: string; readonly ids: readonly string[] }> {
  const workspace = idOf(
    await call("POST", "/organizations/default/workspaces", {
      data: { type: "workspaces", attributes: { name: "bench" } },
    }),
  );
  const ids: string[] = [];
  for (let at = 0; at < variables; at += 500) {
    const data = Array.from({ length: 500 }, (_, i) => ({
      type: "vars",
      attributes: { key: `key${at + i}`, category: "env", value },
    }));
    ids.push(...idsOf(await call("POST", `/workspaces/${workspace}/vars/bulk`, { data })));
  }
  return { workspace, ids };
}

async function benchInProcess(): Promise<void> {
  const token = "a token for the bench";
  const ca = createCa({ stores: memoryStore(), apis: [varsApi], vars: { token } });
  const call = callOf((request) => ca.fetch(request), "http://bench", token);
  const { workspace, ids } = await prepared(call);
  const timed = async (count: number, path: (i: number) => string): Promise<number> => {
    const request = (i: number) =>
      new Request(`http://bench/api/v2${path(i)}`, {
        headers: { authorization: `Bearer ${token}` },
      });
    const from = performance.now();
    for (let i = 0; i < count; i++) await (await ca.fetch(request(i))).arrayBuffer();
    return (performance.now() - from) / count;
  };
  const list = () => timed(10, () => `/workspaces/${workspace}/vars`);
  const read = () =>
    timed(2000, (i) => `/workspaces/${workspace}/vars/${ids[i % variables] ?? ""}`);
  await list();
  await read();
  atMost(
    `list of ${variables} variables, in process`,
    median([await list(), await list(), await list()]),
    50,
    "ms",
  );
  figure(
    "read of one variable, in process",
    `${round(median([await read(), await read(), await read()]) * 1000)} us`,
  );
}

/** Measures reads from the built server, and from a program that only reads a row. */
async function benchHttp(seconds: number, count: number): Promise<void> {
  const floor = await startFloor(workers);
  let subject: Subject | undefined;
  try {
    subject = await startSubject();
    const { url } = subject;
    const token = secretIn(subject.dataDir, "vars-token");
    const { workspace, ids } = await prepared(callOf(fetch, url, token));
    const send = (path: string) =>
      Buffer.from(
        `GET /api/v2${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
    const kinds = {
      floor: () => drive({ url: floor.url, connections, seconds, request: () => get("/row") }),
      read: () =>
        drive({
          url,
          connections,
          seconds,
          request: (n) => send(`/workspaces/${workspace}/vars/${ids[n % variables] ?? ""}`),
        }),
      "read by the old path": () =>
        drive({
          url,
          connections,
          seconds,
          request: (n) => send(`/vars/${ids[n % variables] ?? ""}`),
        }),
      list: () =>
        drive({
          url,
          connections: 4,
          seconds,
          request: () => send(`/workspaces/${workspace}/vars`),
        }),
    };
    const seen = new Map<string, LoadResult[]>();
    for (let turn = -1; turn < count; turn++)
      for (const [name, run] of Object.entries(kinds)) {
        const outcome = await run();
        // ignore the first round, which warms up
        if (turn >= 0) seen.set(name, [...(seen.get(name) ?? []), outcome]);
      }
    report(seen);
  } finally {
    await subject?.stop();
    await floor.stop();
  }
}
function report(seen: ReadonlyMap<string, readonly LoadResult[]>): void {
  const of = (name: string, part: (one: LoadResult) => number) =>
    median((seen.get(name) ?? []).map(part));
  for (const [name, list] of seen) {
    const errors = list.reduce((sum, one) => sum + one.errors, 0);
    const text = `${round(of(name, (one) => one.rps))}/s p50 ${round(of(name, (one) => one.p50))} p99 ${round(of(name, (one) => one.p99))} ms`;
    if (errors === 0) figure(`variables: ${name}`, text);
    else
      figure(
        `variables: ${name}`,
        `${text}, ${errors} errors: ${list.find((one) => one.firstError)?.firstError ?? ""}`,
        "no error",
        false,
      );
  }
  const floor = seen.get("floor") ?? [];
  for (const name of ["read", "read by the old path"])
    atLeast(
      `variables: ${name}, relative to the floor`,
      median((seen.get(name) ?? []).map((one, i) => one.rps / (floor[i]?.rps ?? Number.NaN))),
      0.5,
    );
}

/**
 * Measures reading variables: in this process, and over HTTP relative to a server that only reads a
 * row of 700 bytes.
 */
export async function benchVars({
  seconds,
  rounds,
}: {
  readonly seconds: number;
  readonly rounds: number;
}): Promise<void> {
  await benchInProcess();
  await benchHttp(seconds, rounds);
}
