import {
  concat,
  fromBase64Url,
  fromUtf8,
  asBytes,
  toBase64Url,
  toHex,
  utf8,
  type Bytes,
} from "../base/bytes.ts";
import { parseDuration, rfc3339nano } from "../base/duration.ts";
import { CaError } from "../base/errors.ts";
import type { Job } from "./deployment.ts";
import { jobRow } from "./jobs.ts";
import { systemTtl } from "./new-mount.ts";
import type { Batch } from "./ports.ts";
import { belowSys, sysKeys, wrappedEnds, wrappedIndex, type WrappedRow } from "./sys-records.ts";
import { stored } from "./stored.ts";
import type { Unit } from "./unit.ts";

/**
 * What a client gets in the place of a wrapped reply (A 1.6): `ttl` in seconds, `creation_time` as
 * RFC 3339.
 */
export interface WrapInfo {
  readonly token: string;
  readonly accessor: string;
  readonly ttl: number;
  readonly creation_time: string;
  readonly creation_path: string;
}
/**
 * A reply as its handler gave it, before any dialect printed it: who unwraps it may speak another
 * one than who asked for it.
 */
export interface KeptReply {
  /** Id of the endpoint that answered. */
  readonly endpoint: string;
  /** Path of the call, without the version prefix. */
  readonly path: string;
  readonly data: unknown;
  readonly warnings: readonly string[];
  readonly lease?: { readonly id: string; readonly seconds: number } | undefined;
  /** The members of the request by which a private key is printed. */
  readonly form: Readonly<Record<string, unknown>>;
}
/** A reply behind a token, with what is told of it. */
export interface Wrapped extends KeptReply {
  readonly accessor: string;
  /** Unix milliseconds. */
  readonly created: number;
  /** Seconds. */
  readonly ttl: number;
}

/** Most bytes of a wrapped reply, as JSON: 1 MiB, half of what a Durable Object's row holds. */
const largest = 1024 * 1024;
const nonceLength = 12;
const tokenForm = /^wrap\.([\w-]{43})$/;
/** Ended replies are removed at the next full minute, so that many share one job. */
const jobEvery = 60_000;
const perRemoval = 500;
/**
 * What a clock may be wrong by, milliseconds: an hour. A reply with more time left than it was
 * given, and this, was wrapped by a clock that was ahead.
 */
const clockError = 3_600_000;

/**
 * Seconds for which a header wants the reply behind a token; `undefined` for "" and 0: no wrapping.
 * Throws `malformed` for what is no duration, for a negative one, for one below a second, and above
 * 768 h.
 */
export function wrapTtl(header: string): number | undefined {
  const refuse = (why: string): never => {
    throw new CaError("malformed", `invalid wrapping TTL: ${why}`);
  };
  let seconds = 0;
  try {
    seconds = parseDuration(header.trim()) ?? 0;
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    refuse(error.message);
  }
  // whoever asks for half a second wants no plain reply
  if (seconds === 0 && /[1-9]/.test(header)) refuse("it must be at least one second");
  if (seconds > systemTtl) refuse(`it must be at most ${systemTtl} seconds`);
  return seconds === 0 ? undefined : seconds;
}

/** A new token of single use, and what puts replies behind it. */
export interface Wrapping {
  readonly info: WrapInfo;
  /**
   * Puts a reply behind the token, in the place of one that was there before. Throws `too_large`
   * above 1 MiB.
   */
  keep(reply: KeptReply): Promise<void>;
}
/**
 * Draws a token for a reply of the call `path`, which waits `ttl` seconds. Replies lie in the store
 * `sys`, whichever mount they come from: the token alone says nothing of a mount. The reply, private keys
 * in it included, is stored under AES-256-GCM with a key that HKDF makes from the token (RFC 5869);
 * of the token itself only a hash is stored, so that the rows alone open nothing.
 */
export async function newWrapping(sys: Unit, path: string, ttl: number): Promise<Wrapping> {
  const token = await drawToken(sys);
  const told = { accessor: accessorOf(sys), created: sys.ports.now(), ttl };
  return {
    info: infoOf(token, { ...told, path }),
    keep: async (reply) =>
      void (await sys.commit({ put: await rowsOf(sys, token, { ...reply, ...told }) })),
  };
}
/** Puts a reply behind a new token. Throws `too_large` above 1 MiB. */
export async function wrapReply(sys: Unit, reply: KeptReply, ttl: number): Promise<WrapInfo> {
  const { info, keep } = await newWrapping(sys, reply.path, ttl);
  await keep(reply);
  return info;
}

/**
 * The reply behind a token, which stays there. Throws `malformed` for a token that was used, has
 * ended, or never was.
 */
export async function readWrapped(sys: Unit, token: string): Promise<Wrapped> {
  return (await find(sys, token)).wrapped;
}

/**
 * Takes the reply from behind its token: of several at once one gets it. Throws `malformed` like
 * `readWrapped`.
 */
export async function takeWrapped(sys: Unit, token: string): Promise<Wrapped> {
  const { key, rev, wrapped } = await find(sys, token);
  if (!(await sys.commit({ expect: [[key, rev]], del: [key] }))) throw invalid();
  return wrapped;
}

/**
 * Moves the reply behind a new token, for as long as it was given at first; from then on the old
 * token is a used one. Throws `malformed` like `readWrapped`.
 */
export async function rewrap(sys: Unit, token: string): Promise<WrapInfo> {
  const { key, rev, wrapped } = await find(sys, token);
  const [fresh, again] = [
    await drawToken(sys),
    { ...wrapped, accessor: accessorOf(sys), created: sys.ports.now() },
  ];
  if (
    !(await sys.commit({ put: await rowsOf(sys, fresh, again), expect: [[key, rev]], del: [key] }))
  )
    throw invalid();
  return infoOf(fresh, again);
}

/**
 * Removes the replies that nobody unwrapped in time, and those of a clock that was ahead. Until
 * then they count as missing.
 */
export const wrappedEnd: Job = {
  kind: "wrapped-end",
  of: "unit",
  budget: 20,
  step: async (sys) => {
    const now = sys.ports.now();
    const ended = { to: Math.floor(now / 1000) };
    const ahead = { from: Math.ceil((now + systemTtl * 1000 + clockError) / 1000) };
    if ((await removeEnded(sys, ended)) || (await removeEnded(sys, ahead))) return "more";
    const [next] = await sys.store.list(belowSys.wrapped, { by: { name: wrappedEnds }, limit: 1 });
    // a job of a clock that was ahead ran too early for this one; rows below wrapped/ have this
    // type
    if (next) await sys.commit({ put: [endJob(stored.wrapped(next[1].value).end, now)] });
    return undefined;
  },
};
const endJob = (end: number, now: number) =>
  jobRow({ due: Math.ceil(end / jobEvery) * jobEvery, now }, wrappedEnd.kind, "replies");

/** Removes replies that end in a span of Unix seconds; says whether there may be more of them. */
async function removeEnded(
  sys: Unit,
  span: { readonly from?: number; readonly to?: number },
): Promise<boolean> {
  const rows = await sys.store.list(belowSys.wrapped, {
    by: { name: wrappedEnds, ...span },
    limit: perRemoval,
    values: false,
  });
  if (rows.length) await sys.commit({ del: rows.map(([key]) => key) });
  return rows.length === perRemoval;
}

const invalid = () => new CaError("malformed", "wrapping token is not valid or does not exist");
const accessorOf = (sys: Unit): string => toBase64Url(sys.ports.random(18));

/** A token and what it gives. */
interface Token {
  readonly text: string;
  readonly id: string;
  readonly key: CryptoKey;
}
async function drawToken(sys: Unit): Promise<Token> {
  const chance = sys.ports.random(32);
  if (chance.length !== 32)
    throw new TypeError("random() must return as many bytes as it is asked for");
  return { text: `wrap.${toBase64Url(chance)}`, ...(await secretsOf(chance)) };
}
const infoOf = (
  { text }: Token,
  { accessor, created, ttl, path }: Pick<Wrapped, "accessor" | "created" | "ttl" | "path">,
): WrapInfo => ({
  token: text,
  accessor,
  ttl,
  creation_time: rfc3339nano(created),
  creation_path: path,
});

/** The rows that stand for a token and the reply behind it. */
async function rowsOf(
  sys: Unit,
  { id, key }: Token,
  wrapped: Wrapped,
): Promise<NonNullable<Batch["put"]>> {
  const text = utf8(JSON.stringify(wrapped));
  if (text.length > largest)
    throw new CaError(
      "too_large",
      `the reply is larger than ${largest} bytes and cannot be wrapped`,
    );
  const end = wrapped.created + wrapped.ttl * 1000;
  const nonce = sys.ports.random(nonceLength);
  const sealed = concat([
    nonce,
    new Uint8Array(await crypto.subtle.encrypt(gcm(nonce, id, end), key, text)),
  ]);
  const row: WrappedRow = { end, sealed };
  return [[sysKeys.wrapped(id), row, wrappedIndex(row)], endJob(end, wrapped.created)];
}

/** The row of a token and what it holds. Whatever is wrong with either sounds the same. */
async function find(
  sys: Unit,
  token: string,
): Promise<{ readonly key: string; readonly rev: number; readonly wrapped: Wrapped }> {
  const chance = fromBase64Url(tokenForm.exec(token.trim())?.[1] ?? "");
  if (chance?.length !== 32) throw invalid();
  const secrets = await secretsOf(chance);
  const key = sysKeys.wrapped(secrets.id);
  const [row] = await sys.store.get([key]);
  if (!row) throw invalid();
  // rows of this prefix are written only here, with this type
  const { end, sealed } = stored.wrapped(row.value);
  const left = end - sys.ports.now();
  if (left <= 0) throw invalid();
  const wrapped = await opened(secrets.key, secrets.id, end, sealed);
  if (left > wrapped.ttl * 1000 + clockError) throw invalid();
  return { key, rev: row.rev, wrapped };
}

async function opened(
  key: CryptoKey,
  id: string,
  end: number,
  sealed: Uint8Array,
): Promise<Wrapped> {
  try {
    const text = await crypto.subtle.decrypt(
      gcm(sealed.subarray(0, nonceLength), id, end),
      key,
      asBytes(sealed.subarray(nonceLength)),
    );
    // what opens was sealed with this type
    return JSON.parse(fromUtf8(new Uint8Array(text))) as Wrapped;
  } catch (error) {
    // the row was changed: its holder must take that for a token that somebody else has used
    if (error instanceof DOMException) throw invalid();
    throw error;
  }
}

/**
 * The row's place and its end are authenticated with it: moved or made to last longer it does not
 * open.
 */
const gcm = (nonce: Uint8Array, id: string, end: number): AesGcmParams => ({
  name: "AES-GCM",
  iv: asBytes(nonce),
  additionalData: utf8(`${id}/${end}`),
});

/**
 * What a token gives: the name of its row and the key of its reply, neither of which leads to the
 * other or back to the token.
 */
async function secretsOf(
  token: Bytes | Uint8Array,
): Promise<{ readonly id: string; readonly key: CryptoKey }> {
  const { subtle } = crypto;
  const material = await subtle.importKey("raw", asBytes(token), "HKDF", false, [
    "deriveBits",
    "deriveKey",
  ]);
  const hkdf = (purpose: string): HkdfParams => ({
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(0),
    info: utf8(`sealwright wrapped reply ${purpose}`),
  });
  const [id, key] = await Promise.all([
    subtle.deriveBits(hkdf("id"), material, 256),
    subtle.deriveKey(hkdf("key"), material, { name: "AES-GCM", length: 256 }, false, [
      "encrypt",
      "decrypt",
    ]),
  ]);
  return { id: toHex(new Uint8Array(id)), key };
}
