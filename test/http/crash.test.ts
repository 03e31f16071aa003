import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import {
  childrenOf,
  startServer,
  temporaryDirectory,
  type RunningServer,
} from "../support/server.ts";
import { apiOf, makeAuthority, type Answer, type Api } from "./api.ts";
import { eventsOf, startSink, type AuditEvent, type Sink } from "./audit-sink.ts";
import { crlOf } from "./crl.ts";

const rounds = 8;
const workers = 8;
const seed = 20_261_121;

/** Returns a seeded random generator of numbers from 0 up to 1 (xorshift). */
function chance(from: number): () => number {
  let state = from;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** The acknowledged changes. */
interface Acknowledged {
  /** Certificates by serial number. */
  readonly issued: Map<string, string>;
  /** Times of revocation by serial number. */
  readonly revoked: Map<string, string>;
}

/** Statuses that leave the outcome unknown, as a broken connection does. */
const unknown: readonly number[] = [503];

/**
 * Issues certificates and revokes about every third, until the server is killed. `acknowledged` is
 * called after each success and returns whether to continue.
 */
async function work(
  api: Api,
  told: Acknowledged,
  next: () => number,
  acknowledged: () => boolean,
): Promise<void> {
  const attempt = async (path: string, body: unknown): Promise<Answer | undefined> => {
    const answer = await api("POST", path, body).catch(() => undefined);
    return answer && !unknown.includes(answer.status) ? answer : undefined;
  };
  for (;;) {
    const leaf = await attempt("pki/issue/web", { common_name: "www.example.com" });
    if (!leaf) return;
    expect(leaf.status, leaf.text).toBe(200);
    const serial = leaf.data["serial_number"] ?? "";
    expect(told.issued.has(serial), "a serial number is given once").toBe(false);
    told.issued.set(serial, leaf.data["certificate"] ?? "");
    if (!acknowledged()) return;
    if (next() < 0.65) continue;
    const revoked = await attempt("pki/revoke", { serial_number: serial });
    if (!revoked) return;
    expect(revoked.status, revoked.text).toBe(200);
    told.revoked.set(serial, revoked.data["revocation_time_rfc3339"] ?? "");
    if (!acknowledged()) return;
  }
}

/** Kills all serving processes, and waits until the server has started others. */
async function killWorkers({ pid }: RunningServer, api: Api): Promise<void> {
  const killed = childrenOf(pid);
  expect(killed).toHaveLength(2);
  for (const one of killed) process.kill(one, "SIGKILL");
  const restarted = () => childrenOf(pid).every((one) => !killed.includes(one));
  const health = () => api("GET", "sys/health", undefined, { token: "none" });
  while (!restarted() || (await health().catch(() => undefined))?.status !== 200) await pause(5);
}

async function checkAll(api: Api, told: Acknowledged, names: ReadonlySet<string>): Promise<void> {
  for (const serial of names) {
    const read = await api("GET", `pki/cert/${serial}`);
    expect(read.data["certificate"]?.trim(), serial).toBe(told.issued.get(serial)?.trim());
    const at = told.revoked.get(serial);
    if (at !== undefined) expect(read.data["revocation_time_rfc3339"], serial).toBe(at);
  }
}

const serialsOf = (events: readonly AuditEvent[], endpoint: string): readonly string[] =>
  events.flatMap(({ endpoint: id, fields }) =>
    id === endpoint ? [String(fields?.["serial"])] : [],
  );
const plain = (serial: string): string => serial.replaceAll(":", "");

/**
 * Asserts that the audit log has exactly one event for each certificate and revocation, and that
 * the sink has received all events.
 */
async function checkAudit(
  api: Api,
  sink: Sink | undefined,
  made: { readonly certificates: readonly string[]; readonly revoked: readonly string[] },
): Promise<void> {
  const events = await eventsOf(api);
  const [issues, revocations] = [serialsOf(events, "issue"), serialsOf(events, "revoke")];
  // the root was generated, not issued
  const leaves = made.certificates.map(plain).filter((serial) => issues.includes(serial));
  expect(leaves).toHaveLength(made.certificates.length - 1);
  expect([...issues].sort()).toEqual([...leaves].sort());
  expect([...revocations].sort()).toEqual([...made.revoked].sort());
  for (const store of new Set(events.map((event) => event.store))) {
    const numbers = events.flatMap((event) => (event.store === store ? [event.number] : []));
    expect([...numbers].sort((a, b) => a - b)).toEqual(numbers.map((_, at) => at + 1));
  }
  if (!sink) return;
  // writing the setting sends pending events at once
  expect((await api("POST", "sys/audit/sink", sink.settings)).status).toBe(200);
  const missing = () => {
    const got = new Set(sink.lines.map(({ id }) => id));
    return events.filter(({ id }) => !got.has(id));
  };
  while (missing().length > 0) await pause(5);
  expect(sink.lines.filter((line) => "missing" in line)).toEqual([]);
}

const dataDir = temporaryDirectory();
let end = async (): Promise<void> => {};
const sink = await startSink();
afterAll(async () => {
  await end();
  sink?.close();
});

it(`no acknowledged change and no audit event is lost in ${rounds} kills under load (seed ${seed})`, async () => {
  const env = { WORKERS: "2" };
  const next = chance(seed);
  const told: Acknowledged = { issued: new Map(), revoked: new Map() };
  const numbers: number[] = [];
  let unread = new Set<string>();
  let server: RunningServer | undefined;
  for (let round = 0; round < rounds; round++) {
    server ??= await startServer({ dataDir, env });
    const running = server;
    end = () => running.kill9();
    const api = apiOf(running);
    if (round === 0) {
      await makeAuthority(api);
      if (sink) expect((await api("POST", "sys/audit/sink", sink.settings)).status).toBe(200);
    }
    await checkAll(api, told, unread);
    numbers.push((await crlOf(api)).number);
    const before = new Set(told.issued.keys());
    let left = 5 + Math.floor(next() * 60);
    let killed = false;
    let working: Promise<void>[] = [];
    await new Promise<void>((resolve) => {
      const acknowledged = (): boolean => (--left || resolve(), !killed);
      working = Array.from({ length: workers }, () => work(api, told, next, acknowledged));
    });
    killed = true;
    // alternates between the whole server and its worker processes, which are then restarted
    if (round % 2 === 0) {
      await running.kill9();
      server = undefined;
    } else await killWorkers(running, api);
    await Promise.all(working);
    unread = new Set([...told.issued.keys()].filter((serial) => !before.has(serial)));
  }
  server ??= await startServer({ dataDir, env });
  const last = server;
  end = async () => void (await last.stop());
  const api = apiOf(server);
  await checkAll(api, told, new Set(told.issued.keys()));
  const listed = (await api("LIST", "pki/certs")).data.keys;
  expect(new Set(listed).size).toBe(listed.length);
  expect([...told.issued.keys()].filter((serial) => !listed.includes(serial))).toEqual([]);
  expect((await api("GET", "pki/crl/rotate")).status).toBe(200);
  const list = await crlOf(api);
  expect(
    [...told.revoked.keys()].filter((serial) => !list.serials.includes(serial.replaceAll(":", ""))),
  ).toEqual([]);
  const revoked = (await api("LIST", "pki/certs/revoked")).data.keys.map((serial) =>
    serial.replaceAll(":", ""),
  );
  expect([...list.serials].sort()).toEqual(revoked.sort());
  numbers.push(list.number);
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(list.number).toBeGreaterThan(numbers.at(-2) ?? 0);
  expect(told.revoked.size).toBeGreaterThan(rounds);
  await checkAudit(api, sink, { certificates: listed, revoked });
});
