import { freshFor, kindOf } from "../engine/cache.ts";
import type { Unit } from "../engine/unit.ts";
import { memo } from "../base/memo.ts";
import type { Served } from "./api.ts";
import type { Reply } from "./call.ts";
import type { Asked } from "./endpoint.ts";

/** A reply that may be given to whoever asks for the same path, and where it came from. */
export interface Kept extends Pick<Asked, "endpoint" | "place"> {
  readonly reply: Reply;
  /** When the oldest of what it is made of was read, Unix milliseconds. */
  readonly since: number;
  /** Whether nothing was forgotten of what it is made of: an engine sees its own writes at once. */
  isCurrent(): boolean;
}
/** Longer bodies are not held here. Callers name paths, so they are bounded in number. */
const [longest, most] = [1024 * 1024, 200];
/** By the unit of what all mounts of a deployment share. */
const replies = memo<Unit, readonly [], Map<string, Kept>>(() => new Map());
/** An object that lasts as long as what a unit has read. */
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
const isFresh = ({ since }: Kept, now: number): boolean => now >= since && now - since < freshFor;
/** Drops what may no longer be given: it may be long, and nobody may ask for its path again. */
function dropOld(held: Map<string, Kept>, now: number): void {
  for (const [path, kept] of held) if (!isFresh(kept, now) || !kept.isCurrent()) held.delete(path);
}

/**
 * What was kept for a plain GET of a path, at most a second old (D 4); undefined where there is
 * nothing or the request asks for more than the path.
 */
export function keptReply(
  { deployment }: Served,
  path: string,
  headers: Pick<Headers, "has">,
): Kept | undefined {
  const kept = replies(deployment.sys).get(path);
  if (!kept) return undefined;
  if (!isFresh(kept, deployment.ports.now()) || !kept.isCurrent()) {
    replies(deployment.sys).delete(path);
    return undefined;
  }
  return deciding.some((name) => headers.has(name)) ? undefined : kept;
}

/**
 * What keeps the reply to a call, where its handler says by `since` that it depends on the path
 * alone. Made before the handler runs: what is forgotten meanwhile counts.
 */
export function keeping({
  call,
  endpoint,
  place,
}: Pick<Asked, "call" | "endpoint" | "place">): ((reply: Reply) => void) | undefined {
  const { on } = place;
  if (endpoint.style.name !== "raw" || endpoint.access !== "open" || !("checked" in on))
    return undefined;
  if (call.method !== "GET" || call.query.size > 0) return undefined;
  const caches = [on.unit.cache, on.sys.cache].map(
    (cache) => [cache, cache.lasting(mark, newMark)] as const,
  );
  const isCurrent = () => caches.every(([cache, was]) => cache.lasting(mark, newMark) === was);
  return (reply) => {
    const { body, since, status } = reply;
    if (since === undefined || status !== 200 || body === null || body.length > longest) return;
    const held = replies(on.sys);
    dropOld(held, on.ports.now());
    if (held.size >= most) held.clear();
    held.set(call.path, { reply, endpoint, place, since, isCurrent });
  };
}
