import { TestRunner } from "vitest";
import {
  createCa,
  memoryStore,
  RefusedError,
  type Ca,
  type CaOptions,
  type LogEvent,
  type PkiClient,
} from "../../src/index.ts";
import type { Capability, Identity } from "../../src/engine/ports.ts";

/** A clock that only moves when a test sets it. */
export interface Clock {
  /** Unix milliseconds. */
  now: number;
  advance(seconds: number): void;
}
/** Options of a test authority; omitted ones have defaults. */
export interface AuthorityOptions extends Omit<CaOptions, "stores" | "now" | "log"> {
  readonly stores?: CaOptions["stores"];
  readonly clock?: Clock;
  readonly seed?: number;
}
/** Options of a request. `compat` sends the token in the header of the compat dialect. */
export interface Sent {
  readonly token?: string;
  readonly compat?: boolean;
  readonly header?: Readonly<Record<string, string>>;
}
/** A response, in every form that tests check. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, unknown>>;
  readonly errors: readonly unknown[];
}
/** Widens a literal type to its base type, as sent by clients without types. */
type Untaught<T> = T extends string
  ? string
  : T extends number
    ? number | string
    : T extends boolean | Uint8Array
      ? T
      : T extends readonly (infer U)[]
        ? readonly Untaught<U>[]
        : T extends object
          ? { readonly [K in keyof T]: Untaught<T[K]> }
          : T;
/** A typed client that also accepts invalid input. */
export type Unchecked<C> = {
  readonly [K in keyof C]: C[K] extends (input: infer I, options?: infer O) => infer R
    ? undefined extends I
      ? (input?: Untaught<I>, options?: O) => R
      : (input: Untaught<I>, options?: O) => R
    : never;
};
export type Pki = Unchecked<PkiClient>;
/** An authority over a memory store, its environment, and functions to call it. */
export interface Authority {
  readonly ca: Ca;
  readonly pki: Pki;
  readonly sys: Unchecked<Ca["sys"]>;
  readonly clock: Clock;
  readonly stores: CaOptions["stores"];
  readonly events: LogEvent[];
  /** The published CRLs, by key; a test may clear it. */
  readonly published: Map<string, Uint8Array>;
  /** Times at which the authority asked to be woken. */
  readonly wakes: number[];
  /** Sends a request below `/v1`; a body other than text is sent as JSON. */
  call(method: string, path: string, body?: unknown, sent?: Sent): Promise<Answer>;
  /** Creates an EC root named `root`. */
  root(input?: Partial<Parameters<Pki["generateRoot"]>[0]>): ReturnType<Pki["generateRoot"]>;
  /**
   * Creates an EC intermediate below the issuer `signer`, with its key in the mount; named by its
   * id.
   */
  intermediate(
    input?: Partial<Parameters<Pki["signIntermediate"]>[0]>,
    key?: Partial<Parameters<Pki["generateIntermediate"]>[0]>,
  ): Promise<{ readonly id: string; readonly certificate: string; readonly csr: string }>;
  /** Creates a role `name` for EC keys and any name. */
  role(
    name: string,
    input?: Partial<Parameters<Pki["writeRole"]>[0]>,
  ): ReturnType<Pki["writeRole"]>;
}

/** The tokens of every test authority, and their capabilities. */
const tokens: Readonly<Record<string, readonly Capability[]>> = {
  root: ["create", "read", "update", "delete", "list", "patch", "sudo"],
  operator: ["create", "read", "update", "delete", "list", "patch"],
  reader: ["read", "list"],
};
const authenticate = async (token: string): Promise<Identity | undefined> =>
  Object.hasOwn(tokens, token)
    ? { id: `token ${token}`, can: (capability) => tokens[token]?.includes(capability) ?? false }
    : undefined;

/** 2030-01-02T03:04:05Z, the time at which every test begins. */
export const start = Date.UTC(2030, 0, 2, 3, 4, 5);
export function clockAt(now = start): Clock {
  const clock: Clock = { now, advance: (seconds) => void (clock.now += seconds * 1000) };
  return clock;
}
/** Returns a seeded generator of random bytes. */
export function seeded(seed: number): (bytes: number) => Uint8Array {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return (bytes) => Uint8Array.from({ length: bytes }, () => next() >>> 24);
}

/**
 * Replaces the memory store of test authorities; set by `shared-database.ts`. Given the options of
 * one engine, returns it and its stores.
 */
export const replacement: {
  engine?: (options: Omit<CaOptions, "stores">) => Pick<Authority, "ca" | "stores">;
} = {};

/** Creates an authority over a memory store, with a manual clock and seeded randomness. */
export function authority(options: AuthorityOptions = {}): Authority {
  const { clock = clockAt(), seed = 1, stores: own = memoryStore(), ...more } = options;
  const random = more.random ?? seeded(seed);
  const events: LogEvent[] = [];
  const wakes: number[] = [];
  const published = new Map<string, Uint8Array>();
  const settings = {
    random,
    sealingKey: new Uint8Array(32).fill(7),
    authenticate,
    publish: {
      put: async (key, bytes) => void published.set(key, bytes),
      get: async (key) => published.get(key),
    },
    wake: (at) => void wakes.push(at),
    ...more,
    now: () => clock.now,
    log: (event) => {
      events.push(event);
      record(event);
    },
  } satisfies Omit<CaOptions, "stores">;
  const { ca, stores } =
    replacement.engine && !options.stores
      ? replacement.engine(settings)
      : { ca: createCa({ ...settings, stores: own }), stores: own };
  const call: Authority["call"] = async (method, path, body, sent = {}) =>
    answerOf(await ca.fetch(requestOf(method, path, body, sent)));
  // accepts any input: the authority rejects what is invalid
  const { pki, sys } = ca as unknown as { readonly pki: Pki; readonly sys: Unchecked<Ca["sys"]> };
  return {
    ca,
    pki,
    sys,
    clock,
    stores,
    events,
    published,
    wakes,
    call,
    root: (input = {}) =>
      pki.generateRoot({
        common_name: "Root CA",
        issuer_name: "root",
        key_type: "ec",
        ttl: "80000h",
        ...input,
      }),
    intermediate: (input = {}, key = {}) => intermediate(pki, input, key),
    role: (name, input = {}) =>
      pki.writeRole({ name, key_type: "ec", allow_any_name: true, ...input }),
  };
}

async function intermediate(
  pki: Pki,
  input: Partial<Parameters<Pki["signIntermediate"]>[0]>,
  key: Partial<Parameters<Pki["generateIntermediate"]>[0]>,
) {
  const { csr } = await pki.generateIntermediate({
    common_name: "Intermediate CA",
    key_type: "ec",
    ...key,
  });
  const { certificate } = await pki.signIntermediate({
    csr,
    common_name: "Intermediate CA",
    ttl: "40000h",
    ...input,
  });
  const imported = await pki.setSigned({ certificate });
  return { id: imported.imported_issuers?.[0] ?? "", certificate, csr };
}

function requestOf(
  method: string,
  path: string,
  body: unknown,
  { token = "root", compat = false, header = {} }: Sent,
): Request {
  const named = token === "" ? {} : { [compat ? "x-vault-token" : "x-service-token"]: token };
  const content =
    body === undefined
      ? {}
      : {
          body:
            typeof body === "string" || body instanceof Uint8Array
              ? (body as BodyInit)
              : JSON.stringify(body),
        };
  return new Request(`http://ca.test/v1/${path}`, {
    method,
    headers: { ...named, ...header },
    ...content,
  });
}
async function answerOf(response: Response): Promise<Answer> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  const isJson = response.headers.get("content-type")?.includes("json") === true && text !== "";
  const json: Readonly<Record<string, unknown>> = isJson ? asRecord(JSON.parse(text)) : {};
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    text,
    json,
    data: asRecord(json["data"]),
    errors: Array.isArray(json["errors"]) ? json["errors"] : [],
  };
}
const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

/**
 * Returns status and first error text of a failed call of the typed client; throws if it succeeds.
 */
export async function refusal(
  call: Promise<unknown>,
): Promise<readonly [status: number, text: string]> {
  try {
    await call;
  } catch (error) {
    if (error instanceof RefusedError) return [error.status, error.errors.join("\n")];
    throw error;
  }
  throw new Error("the call succeeded, but should have been rejected");
}
/** Returns the warnings in a reply of the typed client. */
export function warningsOf(reply: unknown): readonly string[] {
  const { warnings } = asRecord(reply) as { readonly warnings?: readonly string[] };
  return warnings ?? [];
}

/**
 * Events logged while no test was running, such as in a hook; added to the next test that logs one.
 */
let homeless: string[] = [];
/** The events in the meta of each test. Copying them for each event is slow for thousands. */
const recorded = new WeakMap<object, Set<string>>();
/**
 * Adds an event to the running test for the check of the whole run: `<endpoint> <status> <refusal
 * or ->`.
 */
export function record(event: LogEvent): void {
  const line = `${event.endpoint} ${event.status} ${event.refusal ?? "-"}`;
  const test = TestRunner.getCurrentTest();
  if (!test) {
    homeless.push(line);
    return;
  }
  const lines = recorded.get(test) ?? new Set();
  recorded.set(test, lines);
  // the meta of a task is an open record that reporters read
  const meta = test.meta as { events?: string[] };
  for (const one of [...homeless, line])
    if (!lines.has(one)) {
      lines.add(one);
      (meta.events ??= []).push(one);
    }
  homeless = [];
}
