import { resolve } from "node:path";
import { root } from "../server/build/build-page.ts";
import { atMost, figure, percent, round } from "./figures.ts";
import {
  medianOf,
  ratio,
  revokeKinds,
  roundsOf,
  spread,
  subjectKinds,
  type Kinds,
  type Rounds,
} from "./kinds.ts";
import { scratchDirectory, startCheckout } from "./programs.ts";
import { asSubject, prepare, type Subject } from "./server.ts";

/** Maximum CPU time to issue a certificate, relative to the server of the other checkout. */
const maxCpu = 0.6;
/**
 * Maximum CPU time to issue a certificate in a mount with a log, relative to a mount without one.
 */
const maxCpuWithLog = 1.05;
const usual = ["issue", "sign", "revoke"];

/** The options for the comparison. */
export interface CompareOptions {
  readonly seconds: number;
  readonly rounds: number;
  /** The directory of another checkout, with its dependencies installed. */
  readonly before: string;
  /**
   * Kinds of requests to compare, such as `issue`, each with its variants with 8 connections and
   * with 1. If empty, the usual kinds run.
   */
  readonly kinds: readonly string[];
  /** Number of processes of this checkout's server. If undefined, the server's default applies. */
  readonly workers: number | undefined;
  /** Whether the mount of this checkout's server has a tamper-evident log. */
  readonly log: boolean;
}

/**
 * Compares kinds of requests between the server of this checkout and that of another checkout.
 * Starts both with `npm start`, and measures them in turn.
 */
export async function benchCompare(options: CompareOptions): Promise<void> {
  const servers: Subject[] = [];
  const started = async (checkout: string, env = {}, log = false): Promise<Kinds> => {
    const dataDir = scratchDirectory();
    const server = asSubject(await startCheckout(checkout, { dataDir, env }), dataDir);
    servers.push(server);
    await prepare(server.call);
    if (log) await server.call("config/log", { enabled: true });
    return { ...(await subjectKinds(server)), ...(await revokeKinds(server)) };
  };
  const { before, workers } = options;
  try {
    const now = await started(
      root,
      workers === undefined ? {} : { WORKERS: String(workers) },
      options.log,
    );
    const then = await started(resolve(before));
    const chosen = options.kinds.length > 0 ? options.kinds : usual;
    const names = Object.keys(now).filter((name) => chosen.includes(name.split(" ")[0] ?? ""));
    if (names.length === 0) throw new TypeError(`unknown kinds: ${chosen.join(", ")}`);
    const kinds = names.flatMap((name) =>
      [[name, now[name]] as const, [beforeOf(name), then[name]] as const].flatMap(([label, kind]) =>
        kind ? [[label, kind] as const] : [],
      ),
    );
    report(
      await roundsOf(Object.fromEntries(kinds), options),
      names,
      options.log ? maxCpuWithLog : maxCpu,
    );
  } finally {
    for (const server of servers) await server.stop();
  }
}

const beforeOf = (name: string): string => `${name} before`;

function report(seen: Rounds, names: readonly string[], maxIssueCpu: number): void {
  for (const name of names) {
    const errors = [name, beforeOf(name)].flatMap((of) =>
      (seen[of] ?? []).flatMap(({ firstError }) => firstError || []),
    );
    const each = (part: Parameters<typeof medianOf>[2]): string =>
      `${round(medianOf(seen, name, part))} before ${round(medianOf(seen, beforeOf(name), part))}`;
    const text = `rate ${each(({ rps }) => rps)}, p50 ${each(({ p50 }) => p50)}, p99 ${each(({ p99 }) => p99)} ms, cpu ${each(({ cpu }) => cpu)} ms`;
    figure(`${name}: now and before`, text, "no error", errors.length === 0);
    for (const error of errors.slice(0, 1)) figure(`${name}: first error`, error);
    const of = (part: Parameters<typeof medianOf>[2]) =>
      [seen, name, beforeOf(name), part] as const;
    const [rate, cpu] = [of(({ rps }) => rps), of((one) => one.cpu)];
    figure(`${name}: rate, relative to before`, `${percent(ratio(...rate))} (${spread(...rate)})`);
    const label = `${name}: CPU time, relative to before`;
    if (name === "issue") atMost(label, ratio(...cpu), maxIssueCpu, "", spread(...cpu));
    else figure(label, `${round(ratio(...cpu))} (${spread(...cpu)})`);
  }
}
