import { freshFor, kindOf, type StoreContext } from "../engine/store-context.ts";
import { toBase64 } from "../base/bytes.ts";
import { memoize } from "../base/memo.ts";
import type { ServedApi } from "./api.ts";
import type { HeaderFields, Reply } from "./call.ts";
import type { RoutedCall } from "./endpoint.ts";

/** A cached response to a public request, and the endpoint that produced it. */
export interface CachedReply extends Pick<RoutedCall, "endpoint" | "target"> {
  readonly reply: Reply;
  /**
   * Reports whether all inputs of the response are still cached. Returns false once this process
   * has changed one of them.
   */
  isCurrent(): boolean;
}
/**
 * Maximum length of a cached body, and maximum number of cached responses, because callers choose
 * the paths.
 */
const [maxBodyLength, maxReplies] = [1024 * 1024, 200];
/**
 * Limits of the separate cache for short responses: maximum lengths of body and key, and maximum
 * number of responses.
 */
const [shortBody, shortKey, maxShortReplies] = [2048, 512, 5000];

/** A kind of request whose response depends only on the body. */
interface Question {
  readonly type: string;
  /** Maximum length of the request body in bytes. */
  readonly maxBodyLength: number;
}
/** The cached responses of a deployment. */
interface CachedReplies {
  readonly long: Map<string, CachedReply>;
  readonly short: Map<string, CachedReply>;
  /** Kinds of requests with cached responses, by path. */
  readonly questions: Map<string, Question>;
  swept: number;
}
/** Returns the response cache of the deployment that has this store context for `sys`. */
const repliesOf = memoize<StoreContext, readonly [], CachedReplies>(() => ({
  long: new Map(),
  short: new Map(),
  questions: new Map(),
  swept: 0,
}));
/** A cached object, which is replaced when the store context drops its cached values. */
const mark = kindOf<object>();
const newMark = (): object => ({});

/** Request headers that may lead to a different response or an error. */
const deciding = [
  "if-none-match",
  "if-modified-since",
  "x-http-method-override",
  "x-vault-namespace",
  "x-service-namespace",
  "x-service-wrap-ttl",
  "x-vault-wrap-ttl",
] as const;

/**
 * Reports whether a response is fresh. Returns false if the clock was set back, because the age of
 * the response is then unknown.
 */
function isFresh({ reply: { since = -Infinity } }: CachedReply, now: number): boolean {
  const at = typeof since === "number" ? since : since();
  return now >= at && now - at < freshFor;
}
/** Drops outdated responses, which may be long and may never be requested again. */
function dropOld(replies: Map<string, CachedReply>, now: number): void {
  for (const [key, cached] of replies)
    if (!isFresh(cached, now) || !cached.isCurrent()) replies.delete(key);
}
/** Returns a cache key. It is unambiguous, because paths contain no spaces. */
const keyOf = (path: string, question: Uint8Array | undefined): string =>
  question ? `${path} ${toBase64(question)}` : path;

/**
 * Returns the maximum body length of a request to which the cache may have a response, so that the
 * body can be read at once. Returns undefined if the cache has no response to such a request.
 */
export function maxQuestionLength(
  { deployment }: ServedApi,
  path: string,
  headers: Pick<HeaderFields, "get">,
): number | undefined {
  const question = repliesOf(deployment.sys).questions.get(path);
  return question && headers.get("content-type") === question.type
    ? question.maxBodyLength
    : undefined;
}

/**
 * Returns the cached response to a plain GET, or to a request with this body, if it is at most a
 * second old (D 4). Returns undefined if there is none, or if the request has headers that may
 * require a different response.
 */
export function cachedReply(
  { deployment }: ServedApi,
  path: string,
  headers: Pick<HeaderFields, "has">,
  question?: Uint8Array,
): CachedReply | undefined {
  const { long, short } = repliesOf(deployment.sys);
  const key = keyOf(path, question);
  const cached = short.get(key) ?? long.get(key);
  if (!cached) return undefined;
  if (!isFresh(cached, deployment.ports.now()) || !cached.isCurrent()) {
    short.delete(key);
    long.delete(key);
    return undefined;
  }
  return deciding.some((name) => headers.has(name)) ? undefined : cached;
}

/**
 * Returns a function that caches a response if the handler set `since`, which means that the
 * response depends only on the path and the body. It must be called before the handler runs, so
 * that it notices concurrent changes.
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
    const replies = repliesOf(on.sys);
    const key = keyOf(call.path, question);
    const type = endpoint.style.accepts["POST"];
    if (question && type !== undefined)
      replies.questions.set(call.path, {
        type,
        maxBodyLength: endpoint.bodyLimits?.bytes ?? shortKey,
      });
    put(replies, key, { reply, endpoint, target, isCurrent }, on.ports.now());
  };
}
function put(cache: CachedReplies, key: string, cached: CachedReply, now: number): void {
  if ((cached.reply.body?.length ?? 0) > shortBody || key.length > shortKey) {
    dropOld(cache.long, now);
    if (cache.long.size >= maxReplies) cache.long.clear();
    cache.long.set(key, cached);
    return;
  }
  // limits how often all responses are scanned
  if (now < cache.swept || now - cache.swept >= freshFor) {
    dropOld(cache.short, now);
    cache.swept = now;
  }
  if (cache.short.size >= maxShortReplies) cache.short.clear();
  cache.short.set(key, cached);
}
