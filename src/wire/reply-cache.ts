import { freshFor, kindOf } from "../engine/cache.ts";
import { selfOf, type StoreContext } from "../engine/store-context.ts";
import { toBase64 } from "../base/bytes.ts";
import { memoize } from "../base/memo.ts";
import type { ServedApi } from "./api.ts";
import type { HeaderFields, Reply } from "./call.ts";
import type { RoutedCall } from "./endpoint.ts";

/** A cached public reply and the endpoint that produced it. */
export interface CachedReply extends Pick<RoutedCall, "endpoint" | "target"> {
  readonly reply: Reply;
  /** Whether nothing was forgotten of what it is made of: an engine sees its own writes at once. */
  isCurrent(): boolean;
}
/** Longer bodies are not held here. Callers name paths, so they are bounded in number. */
const [maxBodyLength, maxReplies] = [1024 * 1024, 200];
/** What is short has a target of its own, by texts that are short too. */
const [shortBody, shortKey, maxShortReplies] = [2048, 512, 5000];

/** How bodies come that are one question: its answer depends on nothing else. */
interface Question {
  readonly type: string;
  /** Bytes. */
  readonly maxBodyLength: number;
}
/** What is held for the callers of a deployment. */
interface Held {
  readonly long: Map<string, CachedReply>;
  readonly short: Map<string, CachedReply>;
  /** Questions that were answered, by path. */
  readonly questions: Map<string, Question>;
  swept: number;
}
/** Returns the cache of a deployment, keyed by its store context of `sys`. */
const heldBy = memoize<StoreContext, readonly [], Held>(
  () => ({
    long: new Map(),
    short: new Map(),
    questions: new Map(),
    swept: 0,
  }),
  selfOf,
);
/** An object that is replaced when the store context drops its cached values. */
const mark = kindOf<object>();
const newMark = (): object => ({});

/** Headers that make a reply another one, or a refusal. */
const deciding = [
  "if-none-match",
  "if-modified-since",
  "x-http-method-override",
  "x-vault-namespace",
  "x-service-namespace",
  "x-service-wrap-ttl",
  "x-vault-wrap-ttl",
] as const;

/** A clock that went back says nothing about how old a reply is. */
function isFresh({ reply: { since = -Infinity } }: CachedReply, now: number): boolean {
  const at = typeof since === "number" ? since : since();
  return now >= at && now - at < freshFor;
}
/** Drops what may no longer be given: it may be long, and nobody may ask for its path again. */
function dropOld(replies: Map<string, CachedReply>, now: number): void {
  for (const [key, kept] of replies)
    if (!isFresh(kept, now) || !kept.isCurrent()) replies.delete(key);
}
/** A path has no space. */
const keyOf = (path: string, question: Uint8Array | undefined): string =>
  question ? `${path} ${toBase64(question)}` : path;

/**
 * The most bytes of a body that may be a question which was answered before; undefined where the
 * request asks none. Such a body is read at once.
 */
export function maxQuestionLength(
  { deployment }: ServedApi,
  path: string,
  headers: Pick<HeaderFields, "get">,
): number | undefined {
  const question = heldBy(deployment.sys).questions.get(path);
  return question && headers.get("content-type") === question.type
    ? question.maxBodyLength
    : undefined;
}

/**
 * What was kept for a plain GET of a path, or for a question that was sent to it, at most a second
 * old (D 4); undefined where there is nothing or the request asks for more.
 */
export function cachedReply(
  { deployment }: ServedApi,
  path: string,
  headers: Pick<HeaderFields, "has">,
  question?: Uint8Array,
): CachedReply | undefined {
  const { long, short } = heldBy(deployment.sys);
  const key = keyOf(path, question);
  const kept = short.get(key) ?? long.get(key);
  if (!kept) return undefined;
  if (!isFresh(kept, deployment.ports.now()) || !kept.isCurrent()) {
    short.delete(key);
    long.delete(key);
    return undefined;
  }
  return deciding.some((name) => headers.has(name)) ? undefined : kept;
}

/**
 * What keeps the reply to a call, where its handler says by `since` that it depends on the path
 * alone, or on the question too. Made before the handler runs: what is forgotten meanwhile counts.
 */
export function replyCacher(
  { call, endpoint, target }: Pick<RoutedCall, "call" | "endpoint" | "target">,
  input: Readonly<Record<string, unknown>>,
): ((reply: Reply) => void) | undefined {
  const { on } = target;
  if (endpoint.style.name !== "raw" || endpoint.access !== "open" || !("checked" in on))
    return undefined;
  const whole = endpoint.style.whole === undefined ? undefined : input[endpoint.style.whole];
  const question = call.method === "POST" && whole instanceof Uint8Array ? whole : undefined;
  if ((call.method !== "GET" && !question) || call.query.size > 0) return undefined;
  const caches = [on.storeContext.cache, on.sys.cache].map(
    (cache) => [cache, cache.lasting(mark, newMark)] as const,
  );
  return (reply) => {
    const { body, since, status } = reply;
    if (since === undefined || status !== 200 || body === null || body.length > maxBodyLength)
      return;
    const isCurrent = () =>
      caches.every(([cache, was]) => cache.lasting(mark, newMark) === was) &&
      reply.isCurrent?.() !== false;
    const held = heldBy(on.sys);
    const key = keyOf(call.path, question);
    const type = endpoint.style.accepts["POST"];
    if (question && type !== undefined)
      held.questions.set(call.path, { type, maxBodyLength: endpoint.takes?.bytes ?? shortKey });
    put(held, key, { reply, endpoint, target, isCurrent }, on.ports.now());
  };
}
function put(held: Held, key: string, kept: CachedReply, now: number): void {
  if ((kept.reply.body?.length ?? 0) > shortBody || key.length > shortKey) {
    dropOld(held.long, now);
    if (held.long.size >= maxReplies) held.long.clear();
    held.long.set(key, kept);
    return;
  }
  // looking through many takes its time
  if (now < held.swept || now - held.swept >= freshFor) {
    dropOld(held.short, now);
    held.swept = now;
  }
  if (held.short.size >= maxShortReplies) held.short.clear();
  held.short.set(key, kept);
}
