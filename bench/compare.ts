import { join, resolve } from "node:path";
import { root } from "../worker/build/build.ts";
import { startServer, type RunningServer } from "../test/support/server.ts";
import { figure, round } from "./figures.ts";
import { middle, ratio, roundsOf, subjectKinds, type Kinds } from "./kinds.ts";
import { caller, prepare } from "./server.ts";

/**
 * Every kind of request, or those named, on this Worker and on another one: `before` is the path of
 * its entry.
 */
export async function benchCompare({
  before,
  only,
  ...length
}: {
  readonly seconds: number;
  readonly rounds: number;
  readonly before: string;
  readonly only: readonly string[];
}): Promise<void> {
  const servers: RunningServer[] = [];
  const started = async (entry: string): Promise<Kinds> => {
    const server = await startServer({ entry });
    servers.push(server);
    await prepare(caller(server));
    return subjectKinds({ ...server, call: caller(server) });
  };
  try {
    const [now, then] = [
      await started(join(root, "worker/index.ts")),
      await started(resolve(before)),
    ];
    const wanted = Object.keys(now).filter((name) => only.length === 0 || only.includes(name));
    const kinds = wanted.flatMap((name) =>
      [[name, now[name]] as const, [`${name} before`, then[name]] as const].flatMap(
        ([label, kind]) => (kind ? [[label, kind] as const] : []),
      ),
    );
    const seen = await roundsOf(Object.fromEntries(kinds), length);
    for (const name of wanted) {
      const [rate, cpu] = [
        ratio(seen, name, `${name} before`, ({ rps }) => rps),
        ratio(seen, name, `${name} before`, (one) => one.cpu),
      ];
      const late = (of: string): string => round(middle(seen, of, ({ p99 }) => p99));
      figure(
        `${name}: now, of before`,
        `rate ${round(rate)}, processor time ${round(cpu)} (${round(middle(seen, name, ({ rps }) => rps))}/s, p99 ${late(name)} ms, before ${late(`${name} before`)})`,
      );
    }
  } finally {
    for (const server of servers) await server.stop();
  }
}
