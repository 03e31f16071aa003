import { cpuMs, median } from "./figures.ts";
import { drive, get, post, type LoadResult } from "./load.ts";
import type { Program } from "./programs.ts";
import { signingRequest, type Subject } from "./server.ts";

/** A kind of request: the server to which it is sent, and the number of connections. */
export interface Kind {
  readonly server: Pick<Program, "url" | "pid">;
  readonly connections: number;
  request(n: number): Buffer;
  /** Prepares each round before the measurement. Resolves with the maximum number of requests. */
  readonly ready?: () => Promise<number>;
  /** Runs the load for the given number of seconds, instead of sending `request` repeatedly. */
  readonly run?: (seconds: number) => Promise<LoadResult>;
}
export type Kinds = Readonly<Record<string, Kind>>;
/** The result of one round with requests of one kind. */
export interface RoundResult extends LoadResult {
  /** CPU time that all processes of the server used per request (ms). */
  readonly cpu: number;
}
/** Results of the rounds, by name of the kind. */
export type Rounds = Readonly<Record<string, readonly RoundResult[]>>;
/** Default number of connections. */
const many = 32;
let drawn = 0;
const body = (): string => JSON.stringify({ common_name: `h${drawn++}.example.com` });

/**
 * Returns the kinds of requests to the floor: they do nothing, store or read a row, or store a row
 * after generating a key pair and a signature.
 */
export function floorKinds(server: Program): Kinds {
  const store = () => post("/v1/pki/issue/web", "token", body());
  const keyed = () => post("/keyed", "token", body());
  return {
    empty: { server, connections: many, request: () => post("/empty", "token", body()) },
    "empty read": { server, connections: many, request: () => get("/empty") },
    floor: { server, connections: many, request: store },
    "keyed floor": { server, connections: many, request: keyed },
    "floor read": { server, connections: many, request: () => get("/v1/pki/cert") },
    "floor x8": { server, connections: 8, request: store },
    "floor x1": { server, connections: 1, request: store },
    "keyed floor x1": { server, connections: 1, request: keyed },
  };
}

/** Returns the measured kinds of requests to a server that has the roles of `prepare`. */
export async function subjectKinds(server: Subject): Promise<Kinds> {
  const { token } = server;
  const csr = await signingRequest();
  const signing = JSON.stringify({ common_name: "host.example.com", csr });
  const { serial_number: serial } = await server.call("issue/web", JSON.parse(body()));
  const of = (request: Kind["request"], connections = many): Kind => ({
    server,
    connections,
    request,
  });
  const atEach = (name: string, request: Kind["request"]): Kinds => ({
    [name]: of(request),
    [`${name} x8`]: of(request, 8),
    [`${name} x1`]: of(request, 1),
  });
  return {
    ...atEach("issue", () => post("/v1/pki/issue/web", token, body())),
    ...atEach("sign", () => post("/v1/pki/sign/web", token, signing)),
    no_store: of(() => post("/v1/pki/issue/free", token, body())),
    "ca/pem": of(() => get("/v1/pki/ca/pem")),
    crl: of(() => get("/v1/pki/crl")),
    cert: of(() => get(`/v1/pki/cert/${String(serial)}`)),
    "seal-status": of(() => get("/v1/sys/seal-status")),
    health: of(() => get("/v1/sys/health")),
  };
}

/** Maximum number of certificates that are revoked in a round. */
const perRound = 600;

/**
 * Returns the kinds that revoke certificates, which are issued before each round. The CRL is
 * rebuilt periodically.
 */
export async function revokeKinds(server: Subject): Promise<Kinds> {
  await server.call("config/crl", { auto_rebuild: true });
  const of = (connections: number): Kind => {
    let serials: readonly string[] = [];
    return {
      server,
      connections,
      ready: async () => {
        serials = await issued(server, perRound);
        return serials.length;
      },
      request: (n) =>
        post("/v1/pki/revoke", server.token, JSON.stringify({ serial_number: serials[n] })),
    };
  };
  return { revoke: of(many), "revoke x8": of(8), "revoke x1": of(1) };
}

/** Issues certificates. Returns their serial numbers. */
export async function issued(
  { url, token }: Pick<Subject, "url" | "token">,
  count: number,
  ttl = "2000h",
): Promise<readonly string[]> {
  const serials: string[] = [];
  const { errors, firstError } = await drive({
    url,
    connections: many,
    count,
    request: () =>
      post(
        "/v1/pki/issue/web",
        token,
        JSON.stringify({ common_name: `o${drawn++}.example.com`, ttl }),
      ),
    body: (text) => {
      const [, serial] = /"serial_number":"([0-9a-f:]+)"/.exec(text) ?? [];
      if (serial !== undefined) serials.push(serial);
    },
  });
  if (errors > 0) throw new Error(`${errors} certificates were not issued: ${firstError}`);
  return serials;
}

/**
 * Sends requests of the given kind for the given number of seconds, or until `count` requests are
 * sent.
 */
export function driven(kind: Kind, seconds: number, count = Infinity): Promise<LoadResult> {
  if (kind.run) return kind.run(seconds);
  const { connections } = kind;
  const { url } = kind.server;
  return drive({ url, connections, seconds, count, request: (n) => kind.request(n) });
}

async function measured(kind: Kind, seconds: number): Promise<RoundResult> {
  const count = await kind.ready?.();
  const before = cpuMs(kind.server.pid);
  const seen = await driven(kind, seconds, count);
  return { ...seen, cpu: (cpuMs(kind.server.pid) - before) / seen.count };
}

/**
 * Runs rounds of all kinds in turn, alternately forwards and backwards, so that other load on the
 * machine affects all kinds alike.
 */
export async function roundsOf(
  kinds: Kinds,
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
): Promise<Rounds> {
  const seen: Record<string, RoundResult[]> = {};
  const entries = Object.entries(kinds);
  for (const [, kind] of entries) await measured(kind, 0.5);
  for (let round = 0; round < rounds; round++)
    for (const [name, kind] of round % 2 === 0 ? entries : entries.toReversed())
      (seen[name] ??= []).push(await measured(kind, seconds));
  return seen;
}

/** Returns the median of a value over the rounds of the named kind. */
export const medianOf = (seen: Rounds, name: string, part: (one: RoundResult) => number): number =>
  median((seen[name] ?? []).map(part));

/** Returns, for each round, the value of the kind `name` divided by that of the kind `by`. */
export const ratios = (
  seen: Rounds,
  name: string,
  by: string,
  part: (one: RoundResult) => number,
): readonly number[] => {
  const others = seen[by] ?? [];
  return (seen[name] ?? []).map((one, i) => part(one) / (others[i] ? part(others[i]) : Number.NaN));
};
/** Returns the median of the ratios between two kinds in each round. */
export const ratio = (...of: Parameters<typeof ratios>): number => median(ratios(...of));

/** Formats the lowest and the highest ratio. The closer they are, the quieter the machine was. */
export const spread = (...of: Parameters<typeof ratios>): string => {
  const all = ratios(...of);
  return `${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)}`;
};
