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

/** Milliseconds after which a refusal is checked again, because a policy may have changed. */
const maxAge = 5000;

/** The rules of a token; `acl` is undefined until they are read, or if the server refuses that. */
interface Permissions {
  /** The server and the token that they belong to. */
  readonly of: string;
  /** Time of the last reading, Unix milliseconds. */
  readonly at: number;
  readonly acl: Acl | undefined;
  /** Whether they may have changed since. */
  readonly isStale: boolean;
}

/** The rules of the token in use. */
const permissions = createStore<Permissions>({
  of: "",
  at: 0,
  acl: undefined,
  isStale: false,
});

const owner = (): string => `${place.get().base} ${place.get().token}`;
const isKnown = ({ of }: Permissions): boolean => of === owner();
/** Returns the rules of the token in use; undefined if they are not known. */
const knownAcl = (from: Permissions): Acl | undefined => (isKnown(from) ? from.acl : undefined);

let reading: { readonly of: string; readonly done: Promise<void> } | undefined;
/** Reads the rules of the token in use. Concurrent callers share one request. */
function readPermissions(): Promise<void> {
  const of = owner();
  if (reading?.of !== of) reading = { of, done: readOnce(of).finally(() => (reading = undefined)) };
  return reading.done;
}
async function readOnce(of: string): Promise<void> {
  const { verb, path } = requestOf(resultantAcl);
  let acl: Acl | undefined;
  try {
    // the endpoint declares this reply
    const data = (await request(verb, path)).data as Acl | undefined;
    // otherwise the host decides by itself who may do what
    if (data?.exact_paths && isGranted(data, "read", path)) acl = data;
  } catch (error) {
    // without a connection nothing is known; other servers and tokens have no such list
    if (!(error instanceof ApiError) || error.status === 0) return;
  }
  if (of === owner()) permissions.set({ of, at: Date.now(), acl, isStale: false });
}

/** This browser's CA has no tokens, and anonymous callers sign in first. */
const hasToken = (): boolean => place.get().kind === "worker" && place.get().token !== "";

/** The verb's capability, and `sudo` where the endpoint requires it. */
const capabilities: Readonly<Record<Verb, string>> = {
  GET: "read",
  LIST: "list",
  POST: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Returns the path of a request as policies evaluate it. */
function policyPath({ path }: EndpointRequest): string {
  const decodedPath = decodeURIComponent(path.replace(/\?.*/, ""));
  const { mount } = place.get();
  // a dry run is judged like the call that it tries
  return decodedPath.startsWith(`${mount}/`)
    ? mount + decodedPath.slice(mount.length).replace(/^(\/issuer\/[^/]+)?\/explain\//, "$1/")
    : decodedPath;
}

/** Returns a path as policies evaluate it for a verb: that of a listing ends with a slash. */
const evaluatedPath = (verb: Verb, path: string): string => (verb === "LIST" ? `${path}/` : path);

/**
 * Returns the part of a request that the token's rules do not grant, such as
 * `update on pki/issue/web`; "" if they grant it or are not known.
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
 * Throws 403 without sending anything if the token's rules do not grant a request, so that the
 * server's audit log has no refusals that the console could have foreseen.
 */
export async function requirePermission(to: EndpointRequest): Promise<void> {
  if (!hasToken() || to.access === "open") return;
  const before = permissions.get();
  const isOld = missingOf(to) !== "" && Date.now() - before.at > maxAge;
  if (before.isStale || isOld || !isKnown(before)) {
    await readPermissions();
    // without an answer nothing is known, and the server decides
    if (permissions.get() === before) return;
  }
  const lacks = missingOf(to);
  if (lacks !== "")
    throw new ApiError(403, "permission denied", `${to.verb} /v1/${to.path}`, { lacks });
}

/**
 * Reports whether the rules of the token in use grant any of these endpoints, for at least one
 * value of their path parameters; also if the rules are not known.
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

/** Returns the names in the last parameter of these endpoints that rules grant by name, sorted. */
export function namesPermitted(...endpoints: readonly Endpoint<Method>[]): readonly string[] {
  const acl = knownAcl(permissions.get());
  if (!acl) return [];
  const names = endpoints.flatMap(pathsOf).flatMap(({ verb, pattern }) => {
    const prefix = `${place.get().mount}/${pattern.replace(/:\w+$/, "")}`;
    return prefix.includes(":") ? [] : namesGranted(acl, capabilities[verb], prefix);
  });
  return [...new Set(names)].toSorted();
}

/** Has the rules read again before the next request: the server has refused what they grant. */
export const expirePermissions = (): void => permissions.set({ isStale: true });

/** Has the rules read again before the next request, if a change may have affected them. */
export function expireAfterChange({ verb, path }: EndpointRequest): void {
  const isChange = verb !== "GET" && verb !== "LIST";
  if (isChange && /^(?:sys\/(?:polic|mounts|auth|remount)|auth\/|identity\/)/.test(path))
    expirePermissions();
}

/** Returns the part of a call that the token's rules do not grant; "" if none. */
export const missingPermission = <M extends Method>(
  endpoint: Endpoint<M>,
  input?: Partial<InputOf<M>>,
): string => missingOf(requestOf(endpoint, input, place.get().mount));

/** Returns `missingPermission` for a view, which renders again when the rules change. */
export function useMissingPermission<M extends Method>(
  endpoint: Endpoint<M>,
  input?: Partial<InputOf<M>>,
): string {
  useAcl();
  return missingPermission(endpoint, input);
}

/**
 * Returns the rules of the token in use for a view, which renders again when they change; undefined
 * while they are not known.
 */
export function useAcl(): Acl | undefined {
  const token = useStore(place, ({ token }) => token);
  const acl = useStore(permissions, knownAcl);
  useEffect(() => {
    if (hasToken() && !isKnown(permissions.get())) void readPermissions();
  }, [token]);
  return acl;
}
