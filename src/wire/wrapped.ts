import { fromUtf8, toBase64Url, utf8 } from "../base/bytes.ts";
import { rfc3339nano } from "../base/duration.ts";
import { CaError } from "../base/errors.ts";
import type { Batch } from "../engine/ports.ts";
import {
  sysKeys,
  wrappedAccessors,
  wrappedIndex,
  type WrappedRow,
  storedSys,
} from "../engine/sys-records.ts";
import type { StoreContext } from "../engine/store-context.ts";
import type { AuthReply, WrapInfo } from "./outcome.ts";
import { clockError, endJob } from "./wrapped-end.ts";
import {
  drawToken,
  openReply,
  readAccessor,
  readToken,
  sealReply,
  type WrappingToken,
} from "./wrapping-token.ts";

/**
 * A reply as its handler gave it, before any dialect printed it: who unwraps it may speak another
 * one than who asked for it.
 */
export interface KeptReply {
  /** Id of the endpoint that answered. */
  readonly endpoint: string;
  /** Type of the mount that answered; absent in rows of earlier versions. */
  readonly type?: string;
  /** Path of the call, without the version prefix. */
  readonly path: string;
  readonly data: unknown;
  readonly warnings: readonly string[];
  readonly lease?: { readonly id: string; readonly seconds: number } | undefined;
  /** A token that was made or renewed. */
  readonly auth?: AuthReply | undefined;
  /** The members of the request by which its reply is printed. */
  readonly form: Readonly<Record<string, unknown>>;
}
/** What is told of a token by its accessor. */
export interface WrapDetails {
  /** As `KeptReply` has it. */
  readonly path: string;
  /** Unix milliseconds. */
  readonly created: number;
  /** Seconds. */
  readonly ttl: number;
}
/** A reply behind a token, with what is told of it. */
export interface Wrapped extends KeptReply, WrapDetails {
  readonly accessor: string;
}

/** Most bytes of a wrapped reply, as JSON: 1 MiB, half of what a Durable Object's row holds. */
const maxReplyBytes = 1024 * 1024;

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
 * `sys`, whichever mount they come from: the token alone says nothing of a mount. The reply, and
 * whatever secret is in it, is stored under AES-256-GCM with a key that HKDF makes from the token
 * (RFC 5869); of the token itself only a hash is stored, so that the rows alone open nothing.
 */
export async function newWrapping(sys: StoreContext, path: string, ttl: number): Promise<Wrapping> {
  const token = await drawToken(sys.ports.random);
  const told = { accessor: accessorOf(sys), created: sys.ports.now(), ttl };
  return {
    info: infoOf(token, { ...told, path }),
    keep: async (reply) =>
      void (await sys.commit({ put: await rowsOf(sys, token, { ...reply, ...told }) })),
  };
}
/** Puts a reply behind a new token. Throws `too_large` above 1 MiB. */
export async function wrapReply(
  sys: StoreContext,
  reply: KeptReply,
  ttl: number,
): Promise<WrapInfo> {
  const { info, keep } = await newWrapping(sys, reply.path, ttl);
  await keep(reply);
  return infoWith(info, reply);
}

/**
 * The reply behind a token, which stays there. Throws `malformed` for a token that was used, has
 * ended, or never was.
 */
export async function readWrapped(sys: StoreContext, token: string): Promise<Wrapped> {
  return (await find(sys, token)).wrapped;
}

/**
 * Takes the reply from behind its token: of several at once one gets it. Throws `malformed` like
 * `readWrapped`.
 */
export async function takeWrappedReply(sys: StoreContext, token: string): Promise<Wrapped> {
  const { key, rev, wrapped } = await find(sys, token);
  if (!(await sys.commit({ expect: [[key, rev]], del: [key] }))) throw invalid();
  return wrapped;
}

/** Drops the reply behind a token, and tells its accessor; undefined where there is none. */
export async function dropWrapped(sys: StoreContext, token: string): Promise<string | undefined> {
  const held = await seek(sys, token);
  // whoever took it meanwhile has it
  if (held) await sys.commit({ expect: [[held.key, held.rev]], del: [held.key] });
  return held?.wrapped.accessor;
}

/**
 * Moves the reply behind a new token, for as long as it was given at first; from then on the old
 * token is a used one. Throws `malformed` like `readWrapped`.
 */
export async function rewrap(sys: StoreContext, token: string): Promise<WrapInfo> {
  const { key, rev, wrapped } = await find(sys, token);
  const [fresh, again] = [
    await drawToken(sys.ports.random),
    { ...wrapped, accessor: accessorOf(sys), created: sys.ports.now() },
  ];
  if (
    !(await sys.commit({ put: await rowsOf(sys, fresh, again), expect: [[key, rev]], del: [key] }))
  )
    throw invalid();
  return infoWith(infoOf(fresh, again), again);
}

const invalid = () => new CaError("malformed", "wrapping token is not valid or does not exist");
const accessorOf = (sys: StoreContext): string => toBase64Url(sys.ports.random(18));

const infoOf = (
  { text }: WrappingToken,
  { accessor, created, ttl, path }: Pick<Wrapped, "accessor" | "created" | "ttl" | "path">,
): WrapInfo => ({
  token: text,
  accessor,
  ttl,
  creation_time: rfc3339nano(created),
  creation_path: path,
});

/** Returns what is told of a wrapping token once its reply is known. */
export function infoWith(info: WrapInfo, { auth, data }: Pick<KeptReply, "auth" | "data">) {
  // replies with a secret id of an AppRole have the other one
  const accessor = auth?.accessor || memberOf(data, "secret_id_accessor");
  return typeof accessor === "string" ? { ...info, wrapped_accessor: accessor } : info;
}
const memberOf = (data: unknown, name: string): unknown =>
  typeof data === "object" && data !== null
    ? Object.entries(data).find(([key]) => key === name)?.[1]
    : undefined;

/** The rows that stand for a token and the reply behind it. */
async function rowsOf(
  sys: StoreContext,
  token: WrappingToken,
  wrapped: Wrapped,
): Promise<NonNullable<Batch["put"]>> {
  const text = utf8(JSON.stringify(wrapped));
  if (text.length > maxReplyBytes)
    throw new CaError(
      "too_large",
      `the reply is larger than ${maxReplyBytes} bytes and cannot be wrapped`,
    );
  const end = wrapped.created + wrapped.ttl * 1000;
  const sealed = await sealReply(token, end, text, sys.ports.random);
  const { accessor, path, created, ttl } = wrapped;
  const named = await readAccessor(accessor);
  if (!named) throw new TypeError("random() must return as many bytes as it is asked for");
  const about = utf8(JSON.stringify({ path, created, ttl } satisfies WrapDetails));
  const row: WrappedRow = {
    end,
    sealed,
    told: await sealReply(named, end, about, sys.ports.random),
  };
  const index = { ...wrappedIndex(row), [wrappedAccessors]: named.id };
  return [[sysKeys.wrapped(token.id), row, index], endJob(end, created)];
}

/** The row of a token and what it holds. */
interface Held {
  readonly key: string;
  readonly rev: number;
  readonly wrapped: Wrapped;
}
/** The same for a token that must be good. Whatever is wrong with it sounds the same. */
async function find(sys: StoreContext, token: string): Promise<Held> {
  const held = await seek(sys, token);
  if (!held) throw invalid();
  return held;
}
async function seek(sys: StoreContext, token: string): Promise<Held | undefined> {
  const secrets = await readToken(token);
  if (!secrets) return undefined;
  const key = sysKeys.wrapped(secrets.id);
  const [row] = await sys.store.get([key]);
  if (!row) return undefined;
  const { end, sealed } = storedSys.wrapped(row.value);
  const left = end - sys.ports.now();
  if (left <= 0) return undefined;
  const text = await openReply(secrets, end, sealed);
  // the row was changed: its holder must take that for a token that somebody else has used
  if (!text) return undefined;
  // what opens was sealed with this type
  const wrapped = JSON.parse(fromUtf8(text)) as Wrapped;
  return left > wrapped.ttl * 1000 + clockError ? undefined : { key, rev: row.rev, wrapped };
}
