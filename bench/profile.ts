import { readdirSync, readFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../server/build/build-page.ts";
import { clientsAt, enable, flowsFor, httpSender, startStub } from "./acme-flows.ts";
import { cpuMs, figure, percent, round } from "./figures.ts";
import { driven, issued, revokeKinds, subjectKinds, type Kind, type Kinds } from "./kinds.ts";
import { certIdsOf, ocspKinds } from "./ocsp.ts";
import { scratchDirectory } from "./programs.ts";
import { startSubject, type Subject } from "./server.ts";

/** A node in a V8 CPU profile. */
interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    /** Line number, counted from 0. */
    readonly lineNumber: number;
  };
  readonly children?: readonly number[];
}
interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Time of each sample since the previous one (µs). */
  readonly timeDeltas: readonly number[];
  /** Start of the profile on the clock of `process.hrtime` (µs). */
  readonly startTime: number;
}

/** The options for the profile. */
export interface ProfileOptions {
  readonly seconds: number;
  readonly kind: string;
  readonly top: number;
  /** Whether the mount has a tamper-evident log. */
  readonly log: boolean;
}

/**
 * Profiles the threads of a server with one process, run from the sources, while one kind of
 * request is sent over 32 connections, or while 8 clients run ACME flows (`acme`). Prints the time
 * per request (µs) by area and by function, excluding callees.
 */
export async function benchProfile({
  seconds,
  kind: name,
  top,
  log,
}: ProfileOptions): Promise<void> {
  const folder = scratchDirectory();
  const stub = await startStub();
  const subject = await startSubject({
    workers: 1,
    env: { ACME_HTTP_PORT: String(stub.port) },
    node: ["--cpu-prof", "--cpu-prof-interval=200", `--cpu-prof-dir=${folder}`],
  });
  try {
    if (log) await subject.call("config/log", { enabled: true });
    const kind = await kindOf(name, subject, stub);
    await driven(kind, 2, await kind.ready?.());
    const count = await kind.ready?.();
    const [cpu, from] = [cpuMs(subject.pid), clock()];
    const seen = await driven(kind, seconds, count);
    const [used, to] = [cpuMs(subject.pid) - cpu, clock()];
    await subject.stop();
    figure(name, `${seen.count} requests, ${round(seen.rps)}/s, ${seen.errors} errors`);
    figure("CPU time, profiler on", `${round((used * 1000) / seen.count)} us`);
    for (const profile of profilesIn(folder))
      report(profile, { from, to, requests: seen.count, top });
  } finally {
    stub.server.close();
  }
}

/** Returns the time of the clock that profiles use (µs). */
const clock = (): number => Number(process.hrtime.bigint() / 1000n);

async function kindOf(
  name: string,
  subject: Subject,
  stub: Awaited<ReturnType<typeof startStub>>,
): Promise<Kind> {
  if (name === "acme") return flowsOf(subject, stub);
  const kinds: Kinds = name.startsWith("ocsp")
    ? await ocspOf(subject)
    : { ...(await subjectKinds(subject)), ...(await revokeKinds(subject)) };
  const kind = kinds[name];
  if (kind === undefined)
    throw new TypeError(`unknown kind ${name}: ${Object.keys(kinds).join(", ")}`);
  return kind;
}

async function flowsOf(subject: Subject, stub: Awaited<ReturnType<typeof startStub>>) {
  const base = `${subject.url}/v1/pki`;
  await enable(subject.call, base);
  const clients = await clientsAt(`${base}/acme`, stub, httpSender(new Agent({ keepAlive: true })));
  return {
    server: subject,
    connections: clients.length,
    request: () => Buffer.alloc(0),
    run: (seconds) => flowsFor(clients, seconds),
  } satisfies Kind;
}

/**
 * Returns the kinds of OCSP requests for a hundred certificates, with names that begin with `ocsp`.
 */
async function ocspOf(subject: Subject): Promise<Kinds> {
  const kinds = ocspKinds(subject, await certIdsOf(subject, await issued(subject, 100)));
  return Object.fromEntries(Object.entries(kinds).map(([kind, how]) => [`ocsp ${kind}`, how]));
}

/** Returns the profiles that a process has written, by name of the thread. */
function profilesIn(folder: string): readonly (readonly [thread: string, profile: Profile])[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".cpuprofile"))
    .map((file) => {
      // CPU.<date>.<time>.<process>.<thread>.<number>.cpuprofile
      const thread = file.split(".")[4] ?? "";
      const profile: Profile = JSON.parse(readFileSync(join(folder, file), "utf8"));
      return [thread === "0" ? "main thread" : `thread ${thread}`, profile] as const;
    });
}

/** The time window of a profile that is evaluated, and the number of requests in it. */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly requests: number;
  readonly top: number;
}

function report([thread, profile]: readonly [string, Profile], window: Window): void {
  const own = timesIn(profile, window);
  const parents = new Map<number, ProfileNode>();
  for (const node of profile.nodes)
    for (const child of node.children ?? []) parents.set(child, node);
  const [areas, functions] = [new Map<string, number>(), new Map<string, number>()];
  const add = (to: Map<string, number>, name: string, us: number): void =>
    void to.set(name, (to.get(name) ?? 0) + us / window.requests);
  for (const node of profile.nodes) {
    const us = own.get(node.id) ?? 0;
    if (us === 0) continue;
    add(areas, areaOf(node, parents), us);
    if (node.callFrame.functionName !== "(idle)") add(functions, labelOf(node, parents), us);
  }
  const sorted = (all: ReadonlyMap<string, number>) => [...all].sort(([, a], [, b]) => b - a);
  const sum = [...areas.values()].reduce((total, us) => total + us, 0);
  figure(`${thread}: busy`, percent(1 - (areas.get("idle") ?? 0) / sum));
  for (const [area, us] of sorted(areas)) figure(`${thread}: ${area}`, `${round(us)} us`);
  for (const [label, us] of sorted(functions).slice(0, window.top))
    figure(`  ${label}`, `${round(us)} us`);
}

/** Returns the self time in µs of each node within a window, by node ID. */
function timesIn({ samples, timeDeltas, startTime }: Profile, { from, to }: Window) {
  const own = new Map<number, number>();
  let at = startTime;
  for (const [i, id] of samples.entries()) {
    const delta = timeDeltas[i] ?? 0;
    at += delta;
    if (at > from && at <= to) own.set(id, (own.get(id) ?? 0) + delta);
  }
  return own;
}

const rootUrl = pathToFileURL(root).href;
/** Areas by path prefix. The first match counts. */
const areaNames: readonly (readonly [begin: string, area: string])[] = [
  ["server/http", "HTTP"],
  ["node:net", "sockets"],
  ["node:internal/stream", "sockets"],
  ["node:events", "sockets"],
  ["node:internal/crypto", "crypto"],
  ["node:crypto", "crypto"],
  ["src/keys", "crypto"],
  ["src/algorithms", "crypto"],
  ["src/node/crypto", "crypto"],
  ["src/store", "store"],
  ["src/node", "store"],
  ["server/data", "store"],
  ["node:sqlite", "store"],
  ["server/process", "routes"],
  ["src/host", "routes"],
  ["src/wire", "wire"],
  ["src/sys", "tokens and policies"],
  ["src/auth", "tokens and policies"],
  ["src/policy", "tokens and policies"],
  ["src/engine", "engine"],
  ["src/pki", "pki"],
  ["src/x509", "DER"],
  ["src/base", "base"],
  ["src/acme", "ACME"],
  ["node:", "rest of Node"],
];
const special: Readonly<Record<string, string>> = {
  "(garbage collector)": "garbage collection",
  "(idle)": "idle",
  "(program)": "outside JavaScript",
  "(root)": "outside JavaScript",
};

const pathOf = ({ callFrame: { url } }: ProfileNode): string =>
  url.startsWith(rootUrl) ? url.slice(rootUrl.length) : url;

/** Returns the area of a node. The platform's own work belongs to the area of its caller. */
function areaOf(node: ProfileNode, parents: ReadonlyMap<number, ProfileNode>): string {
  const label = special[node.callFrame.functionName];
  if (label !== undefined) return label;
  for (let at: ProfileNode | undefined = node; at; at = parents.get(at.id)) {
    const path = pathOf(at);
    if (path === "") continue;
    return areaNames.find(([begin]) => path.startsWith(begin))?.[1] ?? path;
  }
  return "outside JavaScript";
}

function labelOf(node: ProfileNode, parents: ReadonlyMap<number, ProfileNode>): string {
  const { functionName, lineNumber } = node.callFrame;
  const path = pathOf(node);
  const name = functionName || "(anonymous)";
  if (path !== "") return `${name} ${path}:${lineNumber + 1}`;
  const caller = parents.get(node.id);
  return caller && !(name in special) ? `${name} < ${caller.callFrame.functionName}` : name;
}
