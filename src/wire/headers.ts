import type { Identity } from "../engine/identity.ts";
import type { Allowed, Cors, Served } from "./api.ts";
import type { Reply } from "./call.ts";
import type { HeaderFields } from "./incoming.ts";

type Named = Readonly<Record<string, string>>;

/** Replies without anything of their own share their headers, over TLS and without. */
const sharedFields = new WeakMap<Named, Map<boolean, Named>>();

/** The header fields of a response; `secure`: it goes over TLS. */
export function fieldsOf({ headers: own }: Reply, cors: Named, secure: boolean): Named {
  const isShared = cors === noCors && Object.isFrozen(own);
  const shared = isShared ? (sharedFields.get(own) ?? new Map<boolean, Named>()) : undefined;
  const known = shared?.get(secure);
  if (known) return known;
  const fields = {
    ...own,
    "x-content-type-options": "nosniff",
    ...(secure ? { "strict-transport-security": "max-age=31536000" } : {}),
    ...cors,
  };
  if (!shared) return fields;
  sharedFields.set(own, shared.set(secure, Object.freeze(fields)));
  return fields;
}

/** By the fields that many responses share. */
const sharedHeaders = new WeakMap<Named, Headers>();
/**
 * The header fields as the platform takes them. Measured in Workers, making four of them costs more
 * than the body.
 */
export function platformHeaders(fields: Named): Headers {
  if (!Object.isFrozen(fields)) return new Headers(fields);
  const known = sharedHeaders.get(fields) ?? new Headers(fields);
  sharedHeaders.set(fields, known);
  return known;
}

const noCors: Named = {};
/**
 * CORS for the origins that are allowed, without credentials: also where all are, what a page may
 * call is what its token may. Per request: nothing of one caller may answer another.
 */
export function corsHeaders(
  { methods, headers, exposed }: Cors,
  asked: HeaderFields,
  { origins, headers: more, varies }: Allowed & { readonly varies?: boolean },
): Named {
  if (origins.length === 0 && !varies) return noCors;
  const all = origins.includes("*");
  const origin = asked.get("origin");
  // a cache that kept the answer to one origin must not give it to another
  if (origin === null || !(all || origins.includes(origin))) return { vary: "Origin" };
  return {
    "access-control-allow-origin": all ? "*" : origin,
    "access-control-allow-methods": methods,
    "access-control-allow-headers": [headers, ...more].join(", "),
    "access-control-expose-headers": exposed,
    "access-control-max-age": "600",
    vary: "Origin",
  };
}

/** What the host says of requests. */
interface Host {
  readonly allowedOrigins?: readonly string[];
  readonly identity?: Identity | undefined;
}
/**
 * What is allowed to the page that asks: what the host says, and what is stored. Where calls
 * without a token have an identity nothing is stored for others.
 */
export async function allowedTo(
  { api, deployment, origins = api }: Served,
  asked: HeaderFields,
  { allowedOrigins = [], identity }: Host,
): Promise<Parameters<typeof corsHeaders>[2]> {
  const given = { origins: allowedOrigins, headers: [] };
  if (!origins.allowed || identity) return given;
  // nobody else needs to wait for it: a cache is told all the same that there may be others
  if (!asked.has("origin")) return { ...given, varies: origins.allows?.(deployment) === true };
  // where it cannot be read nothing is allowed
  const stored = await origins.allowed(deployment).catch(() => undefined);
  if (!stored || stored.origins.length === 0) return given;
  return { origins: [...allowedOrigins, ...stored.origins], headers: stored.headers };
}
