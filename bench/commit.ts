import { join, resolve } from "node:path";
import { root } from "../worker/local/build.ts";
import { startServer, type RunningServer } from "../test/support/server.ts";
import { cpuMs, figure, median, round } from "./figures.ts";
import { drive, post, type Outcome } from "./load.ts";
import { caller, prepare } from "./server.ts";

interface Seen extends Outcome {
  /** Milliseconds of processor time, a request. */
  readonly cpu: number;
}
let drawn = 0;

/**
 * Issues at 1, 8 and 32 connections, on the floor, on this Worker, and on another one to compare it
 * with: `before` is the path of its entry.
 */
export async function benchCommit({
  seconds,
  rounds,
  before,
}: {
  readonly seconds: number;
  readonly rounds: number;
  readonly before: string | undefined;
}) {
  const entries = {
    floor: join(root, "bench/floor.ts"),
    now: join(root, "worker/index.ts"),
    ...(before ? { before: resolve(before) } : {}),
  };
  const servers: [name: string, server: RunningServer][] = [];
  try {
    for (const [name, entry] of Object.entries(entries)) {
      const server = await startServer({ entry });
      servers.push([name, server]);
      if (name !== "floor") await prepare(caller(server));
    }
    for (const connections of [1, 8, 32])
      tell(connections, await seenBy(servers, connections, { seconds, rounds }));
  } finally {
    for (const [, server] of servers) await server.stop();
  }
}

/**
 * Each server in turn, in one order and in the other, so that other work on the machine falls on
 * all alike.
 */
async function seenBy(
  servers: readonly [string, RunningServer][],
  connections: number,
  { seconds, rounds }: { seconds: number; rounds: number },
) {
  const seen = new Map<string, Seen[]>(servers.map(([name]) => [name, []]));
  for (const [, server] of servers) await issues(server, connections, 0.5);
  for (let turn = 0; turn < rounds; turn++) {
    for (const [name, server] of turn % 2 === 0 ? servers : servers.toReversed())
      seen.get(name)?.push(await issues(server, connections, seconds));
  }
  return seen;
}

async function issues(server: RunningServer, connections: number, seconds: number): Promise<Seen> {
  const before = cpuMs(server.pid);
  const request = () =>
    post(
      "/v1/pki/issue/web",
      server.token,
      JSON.stringify({ common_name: `h${drawn++}.example.com` }),
    );
  const outcome = await drive({ url: server.url, connections, seconds, request });
  return { ...outcome, cpu: (cpuMs(server.pid) - before) / outcome.count };
}

function tell(connections: number, seen: ReadonlyMap<string, readonly Seen[]>): void {
  const now = seen.get("now") ?? [];
  for (const [name, list] of seen) {
    const of = (part: (one: Seen) => number): string => round(median(list.map(part)));
    const share = median(list.map((one, i) => (now[i]?.rps ?? Number.NaN) / one.rps));
    const beside = name === "now" ? "" : `, now is ${round(share)} times that`;
    figure(
      `${connections} connections: ${name}`,
      `${of((one) => one.rps)}/s p50 ${of((one) => one.p50)} p99 ${of((one) => one.p99)} ms cpu ${of((one) => one.cpu)} ms${beside}`,
    );
  }
}
