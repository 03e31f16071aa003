import { useEffect } from "preact/hooks";
import { grantsBelow, isGranted, namesGranted, type Acl } from "../lib/acl.ts";
import { place } from "../lib/place.ts";
import { createStore, useStore } from "../lib/store.ts";
import {
  pathsOf,
  requestOf,
  type Endpoint,
  type EndpointRequest,
  type InputOf,
  type Method,
  type Verb,
} from "./endpoint.ts";
import { resultantAcl } from "./endpoints/sys.ts";
import { ApiError, request } from "./transport.ts";

/**
 * Maximum age in ms of rules that may deny a request. Older rules are read again first, because a
 * policy may have changed.
 */
const maxAge = 5000;

/**
 * The policy rules of a token. `acl` is undefined until they have been read, and if the server does
 * not allow reading them.
 */
interface Permissions {
  /** The server and the token to which the rules belong. */
  readonly of: string;
  /** Time in Unix ms at which the rules were last read. */
  readonly at: number;
  readonly acl: Acl | undefined;
  /** Whether the rules may have changed since `at`. */
  readonly isStale: boolean;
}

/** The rules of the current token. */
const permissions = createStore<Permissions>({
  of: "",
  at: 0,
  acl: undefined,
  isStale: false,
});

const owner = (): string => `${place.get().base} ${place.get().token}`;
const isKnown = ({ of }: Permissions): boolean => of === owner();
/** Returns the rules of the current token, or undefined if they are not known. */
const knownAcl = (from: Permissions): Acl | undefined => (isKnown(from) ? from.acl : undefined);

let reading: { readonly of: string; readonly done: Promise<void> } | undefined;
/** Reads the rules of the current token. Concurrent calls share a single request. */
function readPermissions(): Promise<void> {
  const of = owner();
  if (reading?.of !== of) reading = { of, done: readOnce(of).finally(() => (reading = undefined)) };
  return reading.done;
}
async function readOnce(of: string): Promise<void> {
  const { verb, path } = requestOf(resultantAcl);
  let acl: Acl | undefined;
  try {
    // the endpoint declares this type
    const data = (await request(verb, path)).data as Acl | undefined;
    // if the rules do not grant this read, the application that embeds the server authorizes
    // requests itself, and the rules do not apply
    if (data?.exact_paths && isGranted(data, "read", path)) acl = data;
  } catch (error) {
    // without a connection, the rules remain unknown; after any other error, no rules apply to this
    // token
    if (!(error instanceof ApiError) || error.status === 0) return;
  }
  if (of === owner()) permissions.set({ of, at: Date.now(), acl, isStale: false });
}

/**
 * Reports whether there is a token whose rules apply. The CA in this browser has no tokens, and on
 * a server users must sign in first.
 */
const hasToken = (): boolean => place.get().kind === "worker" && place.get().token !== "";

/** The capability that each verb requires. An endpoint may also require `sudo`. */
const capabilities: Readonly<Record<Verb, string>> = {
  GET: "read",
  LIST: "list",
  POST: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Returns the path against which policies evaluate a request. */
function policyPath({ path }: EndpointRequest): string {
  const decodedPath = decodeURIComponent(path.replace(/\?.*/, ""));
  const { mount } = place.get();
  // policies treat a dry run like the call that it simulates
  return decodedPath.startsWith(`${mount}/`)
    ? mount + decodedPath.slice(mount.length).replace(/^(\/issuer\/[^/]+)?\/explain\//, "$1/")
    : decodedPath;
}

/**
 * Returns the path that policies evaluate for a verb. For a listing, the path ends with a slash.
 */
const evaluatedPath = (verb: Verb, path: string): string => (verb === "LIST" ? `${path}/` : path);

/**
 * Returns the permission for a request that the token's rules do not grant, such as `update on
 * pki/issue/web`. Returns "" if the rules grant the request or are not known.
 */
export function missingOf(to: EndpointRequest): string {
  const acl = knownAcl(permissions.get());
  if (!acl || !hasToken() || to.access === "open") return "";
  const path = policyPath(to);
  const needed = [capabilities[to.verb], ...(to.access === "sudo" ? ["sudo"] : [])];
  const missing = needed.filter((one) => !isGranted(acl, one, evaluatedPath(to.verb, path)));
  return missing.length === 0 ? "" : `${missing.join(" and ")} on ${path}`;
}

/**
 * Throws an error with status 403 if the token's rules do not grant a request. The request is then
 * not sent, so that rejections that the console can foresee do not fill the server's audit log.
 */
export async function requirePermission(to: EndpointRequest): Promise<void> {
  if (!hasToken() || to.access === "open") return;
  const before = permissions.get();
  const isOld = missingOf(to) !== "" && Date.now() - before.at > maxAge;
  if (before.isStale || isOld || !isKnown(before)) {
    await readPermissions();
    // if the rules could not be read, let the server decide
    if (permissions.get() === before) return;
  }
  const lacks = missingOf(to);
  if (lacks !== "")
    throw new ApiError(403, "permission denied", `${to.verb} /v1/${to.path}`, { lacks });
}

/**
 * Reports whether the current token's rules grant a call to any of these endpoints for at least one
 * value of their path parameters. Returns true if the rules are not known.
 */
export function mayCallAny(endpoints: readonly Endpoint<Method>[]): boolean {
  const acl = knownAcl(permissions.get());
  return !acl || !hasToken() || endpoints.flatMap(pathsOf).some((path) => mayCall(acl, path));
}
function mayCall(acl: Acl, { verb, pattern, access }: ReturnType<typeof pathsOf>[number]): boolean {
  if (access === "open") return true;
  const [start = "", ...parameters] = (
    pattern.startsWith("/") ? pattern.slice(1) : `${place.get().mount}/${pattern}`
  ).split(":");
  if (parameters.length > 0) return grantsBelow(acl, capabilities[verb], start);
  const needed = [capabilities[verb], ...(access === "sudo" ? ["sudo"] : [])];
  return needed.every((one) => isGranted(acl, one, evaluatedPath(verb, start)));
}

/**
 * Returns the sorted values that the rules mention and grant for the last path parameter of these
 * endpoints.
 */
export function namesPermitted(...endpoints: readonly Endpoint<Method>[]): readonly string[] {
  const acl = knownAcl(permissions.get());
  if (!acl) return [];
  const names = endpoints.flatMap(pathsOf).flatMap(({ verb, pattern }) => {
    const prefix = `${place.get().mount}/${pattern.replace(/:\w+$/, "")}`;
    return prefix.includes(":") ? [] : namesGranted(acl, capabilities[verb], prefix);
  });
  return [...new Set(names)].toSorted();
}

/**
 * Marks the rules as outdated, because the server rejected a request that they grant. They are read
 * again before the next request.
 */
export const expirePermissions = (): void => permissions.set({ isStale: true });

/** Marks the rules as outdated if a request may have changed them. */
export function expireAfterChange({ verb, path }: EndpointRequest): void {
  const isChange = verb !== "GET" && verb !== "LIST";
  if (isChange && /^(?:sys\/(?:polic|mounts|auth|remount)|auth\/|identity\/)/.test(path))
    expirePermissions();
}

/**
 * Returns the permission for a call that the token's rules do not grant, or "" if they grant it.
 */
export const missingPermission = <M extends Method>(
  endpoint: Endpoint<M>,
  input?: Partial<InputOf<M>>,
): string => missingOf(requestOf(endpoint, input, place.get().mount));

/** Returns the result of `missingPermission`, and renders the view again when the rules change. */
export function useMissingPermission<M extends Method>(
  endpoint: Endpoint<M>,
  input?: Partial<InputOf<M>>,
): string {
  useAcl();
  return missingPermission(endpoint, input);
}

/**
 * Returns the permission that the token lacks for a call that also requires `sudo`, which an
 * endpoint may require only for some inputs. Renders the view again when the rules change.
 */
export function useMissingSudo<M extends Method>(
  endpoint: Endpoint<M>,
  input: Partial<InputOf<M>>,
): string {
  useAcl();
  return missingOf({ ...requestOf(endpoint, input, place.get().mount), access: "sudo" });
}

/**
 * Returns the rules of the current token, or undefined while they are not known. Renders the view
 * again when they change.
 */
export function useAcl(): Acl | undefined {
  const token = useStore(place, ({ token }) => token);
  const acl = useStore(permissions, knownAcl);
  useEffect(() => {
    if (hasToken() && !isKnown(permissions.get())) void readPermissions();
  }, [token]);
  return acl;
}
