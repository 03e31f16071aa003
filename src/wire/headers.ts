import type { Cors } from "./api.ts";
import type { Reply } from "./call.ts";

type Named = Readonly<Record<string, string>>;

/**
 * Replies without anything of their own share their headers: measured in Workers, making four of
 * them costs more than the body.
 */
const sharedHeaders = new WeakMap<Named, Map<boolean, Headers>>();

/** The headers of a response; `secure`: it goes over TLS. */
export function headersOf({ headers: own }: Reply, cors: Named, secure: boolean): Headers {
  const isShared = cors === noCors && Object.isFrozen(own);
  const shared = isShared ? (sharedHeaders.get(own) ?? new Map<boolean, Headers>()) : undefined;
  const known = shared?.get(secure);
  if (known) return known;
  const headers = new Headers({
    ...own,
    "x-content-type-options": "nosniff",
    ...(secure ? { "strict-transport-security": "max-age=31536000" } : {}),
    ...cors,
  });
  if (shared) sharedHeaders.set(own, shared.set(secure, headers));
  return headers;
}

const noCors: Named = {};
/**
 * CORS for the origins that the deployment names, without credentials. Per request: nothing of one
 * caller may answer another.
 */
export function corsHeaders(
  { methods, headers, exposed }: Cors,
  asked: Headers,
  allowed: readonly string[],
): Named {
  if (allowed.length === 0) return noCors;
  const origin = asked.get("origin");
  // a cache that kept the answer to one origin must not give it to another
  if (origin === null || !allowed.includes(origin)) return { vary: "Origin" };
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": methods,
    "access-control-allow-headers": headers,
    "access-control-expose-headers": exposed,
    "access-control-max-age": "600",
    vary: "Origin",
  };
}
