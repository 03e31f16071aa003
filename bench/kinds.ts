import type { RunningServer } from "../test/support/server.ts";
import { cpuMs, median } from "./figures.ts";
import { drive, get, post, type Outcome } from "./load.ts";
import { signingRequest, type Subject } from "./server.ts";

/** One kind of request, where it goes, and over how many connections. */
export interface Kind {
  readonly server: RunningServer;
  readonly connections: number;
  request(n: number): Buffer;
  /** What is done for some seconds in the place of single requests. */
  readonly run?: (seconds: number) => Promise<Outcome>;
}
export type Kinds = Readonly<Record<string, Kind>>;
/** What one round of one kind gave. */
export interface Seen extends Outcome {
  /** Milliseconds of processor time of the launcher and the runtime, a request. */
  readonly cpu: number;
}
/** Rounds by the name of their kind. */
export type Rounds = Readonly<Record<string, readonly Seen[]>>;
const many = 32;
let drawn = 0;
const body = (): string => JSON.stringify({ common_name: `h${drawn++}.example.com` });

/** What the platform itself answers: nothing, or one stored row. */
export function floorKinds(server: RunningServer): Kinds {
  const { token } = server;
  const store = () => post("/v1/pki/issue/web", token, body());
  return {
    empty: { server, connections: many, request: () => post("/empty", token, body()) },
    "empty read": { server, connections: many, request: () => get("/empty") },
    floor: { server, connections: many, request: store },
    "floor read": { server, connections: many, request: () => get("/v1/pki/cert") },
    "floor x8": { server, connections: 8, request: store },
    "floor x1": { server, connections: 1, request: store },
  };
}

/** The requests that are judged, on a server with the roles of `prepare`. */
export async function subjectKinds(server: Subject): Promise<Kinds> {
  const { token } = server;
  const csr = await signingRequest();
  const signing = JSON.stringify({ common_name: "host.example.com", csr });
  const { serial_number: serial } = await server.call("issue/web", JSON.parse(body()));
  const issue = () => post("/v1/pki/issue/web", token, body());
  const of = (request: Kind["request"], connections = many): Kind => ({
    server,
    connections,
    request,
  });
  return {
    issue: of(issue),
    "issue x8": of(issue, 8),
    "issue x1": of(issue, 1),
    sign: of(() => post("/v1/pki/sign/web", token, signing)),
    no_store: of(() => post("/v1/pki/issue/free", token, body())),
    "ca/pem": of(() => get("/v1/pki/ca/pem")),
    crl: of(() => get("/v1/pki/crl")),
    cert: of(() => get(`/v1/pki/cert/${String(serial)}`)),
    "seal-status": of(() => get("/v1/sys/seal-status")),
    health: of(() => get("/v1/sys/health")),
  };
}

/** Has one kind done for some seconds. */
export function driven(kind: Kind, seconds: number): Promise<Outcome> {
  if (kind.run) return kind.run(seconds);
  const { connections } = kind;
  const { url } = kind.server;
  return drive({ url, connections, seconds, request: (n) => kind.request(n) });
}

async function measured(kind: Kind, seconds: number): Promise<Seen> {
  const before = cpuMs(kind.server.pid);
  const seen = await driven(kind, seconds);
  return { ...seen, cpu: (cpuMs(kind.server.pid) - before) / seen.count };
}

/**
 * Rounds of all kinds in turn, in one order and in the other, so that whatever else the machine
 * does falls on all of them alike.
 */
export async function roundsOf(
  kinds: Kinds,
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
): Promise<Rounds> {
  const seen: Record<string, Seen[]> = {};
  const entries = Object.entries(kinds);
  for (const [, kind] of entries) await measured(kind, 0.5);
  for (let round = 0; round < rounds; round++)
    for (const [name, kind] of round % 2 === 0 ? entries : entries.toReversed())
      (seen[name] ??= []).push(await measured(kind, seconds));
  return seen;
}

/** The middle one of what the rounds of one kind gave. */
export const middle = (seen: Rounds, name: string, part: (one: Seen) => number): number =>
  median((seen[name] ?? []).map(part));
/** The middle one of the ratios of two kinds, round by round. */
export const ratio = (
  seen: Rounds,
  name: string,
  by: string,
  part: (one: Seen) => number,
): number => {
  const others = seen[by] ?? [];
  return median(
    (seen[name] ?? []).map((one, i) => part(one) / (others[i] ? part(others[i]) : Number.NaN)),
  );
};
