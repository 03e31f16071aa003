import { setTimeout as pause } from "node:timers/promises";
import { databaseIn } from "../server/data/database.ts";
import { fromHex } from "../src/base/bytes.ts";
import { cpuMs, figure, round } from "./figures.ts";
import { generateRows, hostName } from "./generated-rows.ts";
import { drive, post, type LoadResult } from "./load.ts";
import { restartAfter, startSubject, type Subject } from "./server.ts";

/** A step of the growth: the new number of partitions, and the concurrent issuances meanwhile. */
interface Step {
  readonly to: number;
  readonly connections: number;
}
const steps: readonly Step[] = [
  { to: 4, connections: 0 },
  { to: 16, connections: 4 },
];
/** Interval at which the progress is read (ms), and duration of a load in between (s). */
const [interval, slice] = [1000, 2];

/** The progress of a growth, as the API returns it. */
interface Partitions {
  readonly growth?: { readonly moved: number };
}

/**
 * Measures how long a mount with generated certificates takes to grow, and how the growth affects
 * issuances.
 */
export async function benchGrowth(certificates: number): Promise<void> {
  const subject = await startSubject({ workers: 1 });
  await fill(subject, certificates);
  for (const step of steps) await measureStep(subject, step, certificates);
  await subject.stop();
}

async function fill(subject: Subject, certificates: number): Promise<void> {
  // creates the index columns
  for (let n = 0; n < 12; n++)
    await subject.call("issue/web", { common_name: `first${n}.example.com` });
  const { serial_number } = await subject.call("issue/web", { common_name: hostName(0) });
  const issued = fromHex(String(serial_number).replaceAll(":", ""));
  await restartAfter(subject, async (mount) => {
    const file = databaseIn(subject.dataDir);
    generateRows({ file, mount, partitions: 1, issued, from: 0, to: certificates });
  });
}

async function measureStep(subject: Subject, step: Step, certificates: number): Promise<void> {
  const { to, connections } = step;
  const before = connections === 0 ? undefined : await issueFor(subject, connections);
  const [begun, used] = [performance.now(), cpuMs(subject.pid)];
  await partitions(subject, { count: to });
  const results: LoadResult[] = [];
  let moved = 0;
  for (;;) {
    const { growth } = await partitions(subject);
    if (!growth) break;
    ({ moved } = growth);
    if (connections === 0) await pause(interval);
    else results.push(await issueFor(subject, connections));
  }
  const seconds = (performance.now() - begun) / 1000;
  const what = `${certificates} certificates, growth to ${to}`;
  figure(
    `${what}: duration`,
    `${round(seconds)} s, ${moved} rows or more, ${round(moved / seconds)}/s`,
  );
  if (before) {
    const median = middle(results);
    figure(
      `${what}: issuances with ${connections} connections`,
      `${latency(median)}; before ${latency(before)}`,
    );
  } else {
    figure(
      `${what}: CPU time of a moved row`,
      `${round(((cpuMs(subject.pid) - used) * 1000) / moved)} us`,
    );
  }
}

async function issueFor(subject: Subject, connections: number): Promise<LoadResult> {
  const body = (n: number): string => JSON.stringify({ common_name: `new${n}.example.com` });
  const result = await drive({
    url: subject.url,
    connections,
    seconds: slice,
    request: (n) => post("/v1/pki/issue/web", subject.token, body(n)),
  });
  if (result.errors > 0) throw new Error(`issue: ${result.firstError}`);
  return result;
}
const latency = ({ p50, p99, rps }: LoadResult): string =>
  `p50 ${round(p50)} ms, p99 ${round(p99)} ms, ${round(rps)}/s`;
/** Returns the result with the median latency. */
function middle(results: readonly LoadResult[]): LoadResult {
  const result = results.toSorted((a, b) => a.p50 - b.p50)[Math.floor(results.length / 2)];
  if (!result) throw new Error("the growth ended before the first issuance");
  return result;
}

/** Reads the partitions of the mount, after starting a growth if `body` is given. */
async function partitions({ url, token }: Subject, body?: object): Promise<Partitions> {
  const response = await fetch(`${url}/v1/sys/mounts/pki/partitions`, {
    headers: { "x-vault-token": token },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`partitions: ${response.status} ${await response.text()}`);
  if (body) return {};
  const { data } = (await response.json()) as { readonly data: Partitions };
  return data;
}
