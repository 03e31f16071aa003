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
  generateWrappingToken,
  openReply,
  readAccessor,
  readToken,
  sealReply,
  type WrappingToken,
} from "./wrapping-token.ts";

/**
 * A handler's response, stored before it is serialized, because the call that unwraps it may use a
 * different dialect from the call that wrapped it.
 */
export interface WrappedReply {
  /** ID of the endpoint that produced the response. */
  readonly endpoint: string;
  /** Type of the endpoint's mount. Absent in rows that earlier versions wrote. */
  readonly type?: string;
  /** Path of the call without the version prefix. */
  readonly path: string;
  readonly data: unknown;
  readonly warnings: readonly string[];
  readonly lease?: { readonly id: string; readonly seconds: number } | undefined;
  /** A new or renewed token. */
  readonly auth?: AuthReply | undefined;
  /** The request members that affect how the response is serialized. */
  readonly form: Readonly<Record<string, unknown>>;
}
/** Details of a wrapping token that can be looked up with its accessor. */
export interface WrapDetails {
  /** Path of the wrapped call; see `WrappedReply`. */
  readonly path: string;
  /** Time of creation in Unix ms. */
  readonly created: number;
  /** TTL of the token in seconds. */
  readonly ttl: number;
}
/** A wrapped response with the details of its token. */
export interface Wrapped extends WrappedReply, WrapDetails {
  readonly accessor: string;
}

/**
 * Maximum size of a wrapped response as JSON in bytes: 1 MiB, half the size of a row in a Durable
 * Object.
 */
const maxReplyBytes = 1024 * 1024;

/** A new wrapping token, and a function that stores a response under it. */
export interface Wrapping {
  readonly info: WrapInfo;
  /**
   * Stores a response under the token, replacing an earlier one. Throws `too_large` above 1 MiB.
   */
  store(reply: WrappedReply): Promise<void>;
}
/**
 * Generates a wrapping token. `path` is the path of the wrapped call, and `ttl` is in seconds. The
 * responses of all mounts are stored in `sys`, so that the token does not reveal the mount. A
 * response is encrypted with AES-256-GCM under a key that is derived from the token by HKDF (RFC
 * 5869). Only a hash of the token is stored, so the rows alone cannot be decrypted.
 */
export async function newWrapping(sys: StoreContext, path: string, ttl: number): Promise<Wrapping> {
  const token = await generateWrappingToken(sys.ports.random);
  const details = { accessor: accessorOf(sys), created: sys.ports.now(), ttl };
  return {
    info: infoOf(token, { ...details, path }),
    store: async (reply) =>
      void (await sys.commit({ put: await rowsOf(sys, token, { ...reply, ...details }) })),
  };
}
/** Stores a response under a new token. Throws `too_large` above 1 MiB. */
export async function wrapReply(
  sys: StoreContext,
  reply: WrappedReply,
  ttl: number,
): Promise<WrapInfo> {
  const { info, store } = await newWrapping(sys, reply.path, ttl);
  await store(reply);
  return infoWith(info, reply);
}

/**
 * Returns a wrapped response without consuming it. Throws `malformed` if the token is used, expired
 * or unknown.
 */
export async function readWrapped(sys: StoreContext, token: string): Promise<Wrapped> {
  return (await find(sys, token)).wrapped;
}

/**
 * Consumes and returns a wrapped response. Only one of several concurrent calls receives it. Throws
 * `malformed` as `readWrapped` does.
 */
export async function unwrapReply(sys: StoreContext, token: string): Promise<Wrapped> {
  const { key, rev, wrapped } = await find(sys, token);
  if (!(await sys.commit({ expect: [[key, rev]], del: [key] }))) throw invalid();
  return wrapped;
}

/** Deletes a wrapped response. Returns the accessor of its token, or undefined if there is none. */
export async function dropWrapped(sys: StoreContext, token: string): Promise<string | undefined> {
  const row = await seek(sys, token);
  // a concurrent unwrap may have consumed the response
  if (row) await sys.commit({ expect: [[row.key, row.rev]], del: [row.key] });
  return row?.wrapped.accessor;
}

/**
 * Moves a response to a new token with the original TTL, and invalidates the old token. Throws
 * `malformed` as `readWrapped` does.
 */
export async function rewrap(sys: StoreContext, token: string): Promise<WrapInfo> {
  const { key, rev, wrapped } = await find(sys, token);
  const [fresh, again] = [
    await generateWrappingToken(sys.ports.random),
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

/** Adds the accessor in a response to the wrapping information. */
export function infoWith(info: WrapInfo, { auth, data }: Pick<WrappedReply, "auth" | "data">) {
  // a response with an AppRole secret ID contains the accessor of the secret ID
  const accessor = auth?.accessor || memberOf(data, "secret_id_accessor");
  return typeof accessor === "string" ? { ...info, wrapped_accessor: accessor } : info;
}
const memberOf = (data: unknown, name: string): unknown =>
  typeof data === "object" && data !== null
    ? Object.entries(data).find(([key]) => key === name)?.[1]
    : undefined;

/** Returns the rows that store a response under a token. */
async function rowsOf(
  sys: StoreContext,
  token: WrappingToken,
  wrapped: Wrapped,
): Promise<NonNullable<Batch["put"]>> {
  const text = utf8(JSON.stringify(wrapped));
  if (text.length > maxReplyBytes)
    throw new CaError(
      "too_large",
      `the response is larger than ${maxReplyBytes} bytes and cannot be wrapped`,
    );
  const end = wrapped.created + wrapped.ttl * 1000;
  const sealed = await sealReply(token, end, text, sys.ports.random);
  const { accessor, path, created, ttl } = wrapped;
  const named = await readAccessor(accessor);
  if (!named) throw new TypeError("random() must return as many bytes as requested");
  const about = utf8(JSON.stringify({ path, created, ttl } satisfies WrapDetails));
  const row: WrappedRow = {
    end,
    sealed,
    told: await sealReply(named, end, about, sys.ports.random),
  };
  const index = { ...wrappedIndex(row), [wrappedAccessors]: named.id };
  return [[sysKeys.wrapped(token.id), row, index], endJob(end, created)];
}

/** The row of a wrapping token with its decrypted contents. */
interface WrappedMatch {
  readonly key: string;
  readonly rev: number;
  readonly wrapped: Wrapped;
}
/** Finds the row of a valid token. The error is the same for used, expired and unknown tokens. */
async function find(sys: StoreContext, token: string): Promise<WrappedMatch> {
  const row = await seek(sys, token);
  if (!row) throw invalid();
  return row;
}
async function seek(sys: StoreContext, token: string): Promise<WrappedMatch | undefined> {
  const secrets = await readToken(token);
  if (!secrets) return undefined;
  const key = sysKeys.wrapped(secrets.id);
  const [row] = await sys.store.get([key]);
  if (!row) return undefined;
  const { end, sealed } = storedSys.wrapped(row.value);
  const left = end - sys.ports.now();
  if (left <= 0) return undefined;
  const text = await openReply(secrets, end, sealed);
  // the row was modified, so the holder must assume that someone else used the token
  if (!text) return undefined;
  // decryption authenticated the text, and only wrapped replies are encrypted under a token
  const wrapped = JSON.parse(fromUtf8(text)) as Wrapped;
  return left > wrapped.ttl * 1000 + clockError ? undefined : { key, rev: row.rev, wrapped };
}
