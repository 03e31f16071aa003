import { spawn } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { root } from "../worker/build/build.ts";
import {
  answering,
  socketIn,
  workerdBinary,
  writeConfiguration,
} from "../server/process/runtime.ts";
import { bundleOf, type RunningServer } from "../test/support/server.ts";
import { clientsAt, enable, flowsFor, httpSender, startStub } from "./acme-flows.ts";
import { figure, round } from "./figures.ts";
import { driven, subjectKinds, type Kind, type Kinds } from "./kinds.ts";
import { drive } from "./load.ts";
import { certIdsOf, ocspKinds } from "./ocsp.ts";
import { prepare, type Subject } from "./server.ts";

/** A node of a profile as the inspector gives it. */
interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    /** Of the bundle, counted from 0. */
    readonly lineNumber: number;
  };
  readonly children?: readonly number[];
}
interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}
const inspector = "127.0.0.1:9339";
const token = "bench-token-bench-token-bench";

/**
 * Samples the runtime while one kind of request is sent over 32 connections, or while 8 clients go
 * through flows of ACME (`acme`), without the launcher: microseconds a request, or a flow, by
 * function, callers apart from what they call.
 */
export async function benchProfile({
  seconds,
  kind: name,
  entry,
}: {
  readonly seconds: number;
  readonly kind: string;
  readonly entry: string | undefined;
}): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sealwright-profile-"));
  const stub = await startStub();
  const variables = { ACME_HTTP_PORT: String(stub.port) };
  const runtime = await startRuntime(folder, variables, entry ? resolve(entry) : undefined);
  try {
    const url = `unix:${socketIn(folder)}`;
    const call: Subject["call"] = async (path, body) => dataOf(await sent(url, path, body));
    await prepare(call);
    const server: RunningServer = {
      url,
      token,
      dataDir: folder,
      pid: runtime.pid ?? 0,
      output: () => "",
      stop: async () => null,
      kill9: async () => undefined,
    };
    const subject = { ...server, call };
    const kind =
      name === "acme"
        ? await flowsOf(subject, stub)
        : { ...(await subjectKinds(subject)), ...(await ocspOf(subject)) }[name];
    if (kind === undefined) throw new TypeError(`no kind ${name}`);
    await driven(kind, 1);
    const session = await inspected();
    await session("Profiler.enable");
    await session("Profiler.setSamplingInterval", { interval: 150 });
    await session("Profiler.start");
    const seen = await driven(kind, seconds);
    const { profile } = (await session("Profiler.stop")) as { profile: Profile };
    figure(name, `${seen.count} requests, ${round(seen.rps)}/s, ${seen.errors} errors`);
    for (const [what, us] of ranked(profile, seen.count)) figure(what, `${round(us)} us`);
  } finally {
    runtime.kill("SIGKILL");
    stub.server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Flows of ACME, straight to the runtime. */
async function flowsOf(subject: Subject, stub: Awaited<ReturnType<typeof startStub>>) {
  const base = "http://bench/v1/pki";
  await enable(subject.call, base);
  const send = httpSender(new Agent({ keepAlive: true }), join(subject.dataDir, "http"));
  const clients = await clientsAt(`${base}/acme`, stub, send);
  return {
    server: subject,
    connections: clients.length,
    request: () => Buffer.alloc(0),
    run: (seconds) => flowsFor(clients, seconds),
  } satisfies Kind;
}

/** Requests for a hundred certificates, by the names of their kinds behind `ocsp`. */
async function ocspOf(subject: Subject): Promise<Kinds> {
  const serials: string[] = [];
  for (let n = 0; n < 100; n++) {
    const { serial_number: serial } = await subject.call("issue/web", {
      common_name: `o${n}.example.com`,
    });
    serials.push(String(serial));
  }
  const kinds = ocspKinds(subject, await certIdsOf(subject, serials));
  return Object.fromEntries(Object.entries(kinds).map(([kind, how]) => [`ocsp ${kind}`, how]));
}

async function startRuntime(
  folder: string,
  own: Readonly<Record<string, string>>,
  entry = join(root, "worker/index.ts"),
) {
  const [objects, demo] = [join(folder, "objects"), join(folder, "demo")];
  for (const path of [objects, demo]) mkdirSync(path);
  const variables = {
    ...own,
    SERVICE_ROOT_TOKEN: token,
    SEALING_KEY: Buffer.alloc(32).toString("base64"),
  };
  const headers = { about: "x-about", scheme: "x-scheme" };
  writeConfiguration(folder, { bundle: await bundleOf(entry), objects, demo, headers, variables });
  const words = ["serve", join(folder, "config.capnp"), `--inspector-addr=${inspector}`];
  const runtime = spawn(workerdBinary(), words, {
    cwd: folder,
    env: { PATH: "/usr/bin:/bin", ...variables },
    stdio: ["ignore", "ignore", "ignore"],
  });
  const ended = new Promise<string>((done) => runtime.once("exit", (code) => done(`code ${code}`)));
  const end = await answering(socketIn(folder), ended);
  if (end !== undefined) throw new Error(`workerd did not start: ${end}`);
  return runtime;
}

/** One call of the preparation, over the Unix socket. */
async function sent(url: string, path: string, body: unknown): Promise<string> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const head = `${body === undefined ? "GET" : "POST"} /v1/pki/${path} HTTP/1.1\r\nHost: bench\r\nX-Vault-Token: ${token}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`;
  let answer = "";
  const seen = await drive({
    url,
    connections: 1,
    count: 1,
    request: () => Buffer.from(head + text),
    body: (given) => void (answer = given),
  });
  if (seen.errors > 0) throw new Error(`${path}: ${seen.firstError}`);
  return answer;
}
function dataOf(text: string): Record<string, unknown> {
  const document: { data?: Record<string, unknown> } = text === "" ? {} : JSON.parse(text);
  return document.data ?? {};
}

/** Calls into the inspector of the Worker `main`. */
async function inspected(): Promise<(method: string, params?: object) => Promise<unknown>> {
  const listed: unknown = await (await fetch(`http://${inspector}/json`)).json();
  const targets = listed as readonly { id: string; webSocketDebuggerUrl: string }[];
  const main = targets.find(({ id }) => id === "main") ?? targets[0];
  if (main === undefined) throw new Error("the runtime serves no inspector");
  const socket = new WebSocket(main.webSocketDebuggerUrl);
  await new Promise((opened) => socket.addEventListener("open", opened, { once: true }));
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (id !== undefined) waiting.get(id)?.(result);
  });
  let last = 0;
  return (method, params = {}) =>
    new Promise((done) => {
      waiting.set(++last, done);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
}

/** The functions with the most time of their own, microseconds a request. */
function ranked({ nodes, samples, timeDeltas }: Profile, requests: number) {
  const own = new Map<number, number>();
  samples.forEach((id, i) => own.set(id, (own.get(id) ?? 0) + (timeDeltas[i] ?? 0)));
  const byName = new Map<string, number>();
  for (const { id, callFrame } of nodes) {
    const name = callFrame.functionName || `line ${callFrame.lineNumber + 1}`;
    byName.set(name, (byName.get(name) ?? 0) + (own.get(id) ?? 0) / requests);
  }
  return [...byName].sort(([, a], [, b]) => b - a).slice(0, 60);
}
