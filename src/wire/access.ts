import { CaError, type Refusal } from "../base/errors.ts";
import { caselessForm, type ParameterForm } from "../base/forms.ts";
import { memoize } from "../base/memo.ts";
import type {
  AccessRequest,
  Capability,
  Identity,
  PathForms,
  PolicyPath,
  PolicyTarget,
} from "../engine/ports.ts";
import type { ServedApi } from "./api.ts";
import type { Call } from "./call.ts";
import type { Forms } from "./endpoint-list.ts";
import type { RouteMatch, RouteTarget } from "./endpoint.ts";
import { anyMethod } from "./router.ts";

/**
 * The capability that each method requires. POST requires `update` even to create something; no
 * method requires `create` (P 9.5).
 */
const capabilities: Readonly<Record<string, Capability>> = {
  GET: "read",
  LIST: "list",
  POST: "update",
  PATCH: "patch",
  DELETE: "delete",
};
/** Returns the capability that a method requires. */
export const capabilityOf = (method: string): Capability => capabilities[method] ?? "update";

/** Returns a `forbidden` error with the reasons in the form that clients expect (P 9.1.4). */
const denied = (...reasons: readonly string[]): CaError =>
  new CaError(
    "forbidden",
    `${reasons.length} error${reasons.length > 1 ? "s" : ""} occurred:\n${reasons.map((reason) => `\t* ${reason}\n`).join("")}\n`,
  );
const deniedText = "permission denied";
/** Returns the error for a missing or invalid token, with the message that clients expect. */
export const unauthenticatedError = (token: string | undefined): CaError =>
  token === undefined || token === "" ? denied(deniedText) : denied(deniedText, "invalid token");

/** Returns the error for a caller whose policies do not grant the request. */
export const permissionDenied = (): CaError => denied(deniedText);

/**
 * Validates an identity that the host returned, because the host's code may be untyped. Throws a
 * TypeError if the identity is not valid.
 */
export function identityIn(returned: Identity | undefined | null): Identity | undefined {
  if (!returned) return undefined;
  const { id, can } = returned as Partial<Identity>;
  if (typeof id !== "string" || typeof can !== "function")
    throw new TypeError(
      "`authenticate` must resolve with `id` and `can`, or with undefined for an unknown token",
    );
  return returned;
}

/**
 * Requires that a decision of the host's code is a boolean. Throws a TypeError for anything else,
 * because a Promise, for example, would count as true and grant everything.
 */
export function requireBoolean(allowed: boolean): boolean {
  if (typeof allowed === "boolean") return allowed;
  throw new TypeError("`can` and `permits` of an identity must return true or false synchronously");
}

/** The identity of all callers of open endpoints, which ignore tokens. */
export const anonymous: Identity = { id: "", can: () => false };

/**
 * Requires that the policies of an authenticated caller grant the request. Throws `forbidden`
 * otherwise.
 */
export function authorize(
  identity: Identity,
  match: Pick<RouteMatch, "endpoint" | "shape" | "forms">,
  { method }: Pick<Call, "method">,
  target: Pick<RouteTarget, "mount" | "path">,
): void {
  const { access } = match.endpoint;
  if (access === "known") return;
  const policyPath = toPolicyPath(match, target);
  // policies may contain the path of a listing with a trailing slash
  const listedPath = method === "LIST" ? `${policyPath.path}/` : policyPath.path;
  const allowed =
    isGranted(identity, method, policyPath) &&
    (access !== "sudo" || requireBoolean(identity.can("sudo", listedPath, policyPath.forms)));
  if (!allowed) throw permissionDenied();
}
/** Reports whether the policies of an identity allow a request with its parameters. */
export const isRequestAllowed = (identity: Identity, request: AccessRequest): boolean =>
  requireBoolean(identity.can(request.capability, request.path, request.forms)) &&
  requireBoolean(identity.permits?.(request) ?? true);
/**
 * Returns a function that reports whether a caller may read the resource with a name under a path,
 * which ends with a slash. A rule for a name applies to all of its spellings, as in a read.
 */
export function readerBelow(
  identity: { allows(request: AccessRequest): boolean },
  below: string,
): (name: string) => boolean {
  const forms = [{ at: below.split("/").length - 1, isRest: false, form: caselessForm }];
  return (name) =>
    identity.allows({ capability: "read", path: below + name, forms, parameters: {} });
}
/** Reports whether a caller's policies grant the capability of a method on a path. */
export const isGranted = (
  identity: Identity,
  method: string,
  { path, forms }: PolicyPath,
): boolean => requireBoolean(identity.can(capabilityOf(method), path, forms));

/**
 * Returns the path that policies evaluate for a request. It contains the parameters as the handler
 * receives them, so that neither percent-encoding nor case gives a resource a second spelling
 * (security row 91).
 */
export function toPolicyPath(
  match: Pick<RouteMatch, "endpoint" | "shape" | "forms">,
  { mount, path }: Pick<RouteTarget, "mount" | "path">,
): PolicyPath {
  const last = lastPolicyPaths.get(match);
  if (last?.mount === mount && last.path === path) return last.policyPath;
  const policyPath = computePolicyPath(match, { mount, path });
  lastPolicyPaths.set(match, { mount, path, policyPath });
  return policyPath;
}
/**
 * The policy path last computed for each match. The router returns the same match for the same
 * path.
 */
const lastPolicyPaths = new WeakMap<
  Pick<RouteMatch, "endpoint" | "shape" | "forms">,
  { readonly mount: string; readonly path: string; readonly policyPath: PolicyPath }
>();
function computePolicyPath(
  { endpoint, shape, forms }: Pick<RouteMatch, "endpoint" | "shape" | "forms">,
  { mount, path }: Pick<RouteTarget, "mount" | "path">,
): PolicyPath {
  const below = (of: string): string => `${mount}${endpoint.policyPathOf?.(of) ?? of}`;
  const written = decodeURIComponent(below(path));
  if (!forms) return { path: written };
  const segments = written.split("/");
  const named = below(shape)
    .split("/")
    .flatMap((segment, at) =>
      namedIn(forms, segment, segments.slice(at)).map((one) => ({ ...one, at })),
    );
  if (named.length === 0) return { path: written };
  const all = segments.map((segment, i) => {
    const spelled = named.find(({ at, isRest }) => (isRest ? i >= at : i === at));
    return spelled ? spelled.form(segment) : segment;
  });
  return { path: all.join("/"), forms: sharedForms(forms, named) };
}

/** A path parameter that has several spellings, with its value in the request. */
interface Named {
  readonly name: string;
  readonly isRest: boolean;
  readonly form: NonNullable<ReturnType<ParameterForm>>;
}
/**
 * Returns the parameter in a segment of a route if it has several spellings, and an empty list
 * otherwise.
 */
function namedIn(forms: Forms, segment: string, values: readonly string[]): readonly Named[] {
  const name = segment.startsWith(":") ? segment.slice(1) : "";
  const isRest = name.endsWith("+");
  const value = isRest ? values.join("/") : (values[0] ?? "");
  const form = Object.hasOwn(forms, name) ? forms[name]?.(value) : undefined;
  return form ? [{ name, isRest, form }] : [];
}
/** Maximum number of cached objects per list of endpoints. */
const maxShared = 1000;
const formsByList = memoize<Forms, readonly [], Map<string, PathForms>>(() => new Map());
/**
 * Returns the same object for the same parameters at the same positions, because caches use the
 * object as a key.
 */
function sharedForms(forms: Forms, named: readonly (Named & { readonly at: number })[]): PathForms {
  const formsByKey = formsByList(forms);
  const key = named.map(({ name, at }) => `${at}${name}`).join(" ");
  const cached = formsByKey.get(key);
  if (cached) return cached;
  if (formsByKey.size >= maxShared) formsByKey.clear();
  const patterns = named.map(({ at, isRest, form }) => ({ at, isRest, form }));
  formsByKey.set(key, patterns);
  return patterns;
}

/**
 * Returns the path that policies evaluate for a decoded path under the version prefix. Returns the
 * path unchanged if no endpoint has it. `declared` contains the members that the endpoint of the
 * method declares, if there is one.
 */
export async function policyTargetAt(
  { api, deployment, call }: ServedApi & { readonly call: Call },
  path: string,
  method = anyMethod,
): Promise<PolicyTarget> {
  // the path of a listing ends with a slash, which routes do not contain
  const [, below = "", slash = ""] = /^(.*?)(\/?)$/s.exec(path) ?? [];
  try {
    const encoded = below.split("/").map(encodeURIComponent).join("/");
    const target = await api.resolveTarget(deployment, { ...call, path: `/v1/${encoded}` });
    const find = async (one: string): Promise<RouteMatch> => target.find(one, false, target.path);
    const own = await find(method).catch(passOn);
    const isFound = own !== undefined && own.refusal === undefined;
    const match = isFound ? own : await find(anyMethod);
    const policyPath = toPolicyPath(match, target);
    return {
      ...policyPath,
      path: policyPath.path + slash,
      ...(isFound && { declared: match.endpoint.body }),
    };
  } catch (error) {
    passOn(error);
    return { path };
  }
}
/** Rethrows any error other than a `CaError` or the `URIError` for invalid percent-encoding. */
function passOn(error: unknown): undefined {
  if (!(error instanceof CaError || error instanceof URIError)) throw error;
  return undefined;
}

/** Error codes for a path, or a method of a path, that does not exist. */
const codes = new Set<Refusal>(["no_route", "unsupported_path", "unsupported_operation"]);
/** Reports whether an error means that a path, or its method, does not exist. */
export const leadsNowhere = (error: unknown): error is CaError =>
  error instanceof CaError && codes.has(error.code);

const methods = ["GET", "POST", "LIST", "PATCH", "DELETE"] as const;
/**
 * Reports whether anonymous callers may learn that a path does not exist. They may if the path or
 * one of its methods is open.
 */
export async function isOpen(target: RouteTarget, error: CaError): Promise<boolean> {
  const { path, tables, type } = target;
  const list = tables?.mounts;
  const open = list && Object.hasOwn(list, type) ? list[type]?.open : undefined;
  if (open?.test(path)) return true;
  if (error.code !== "unsupported_operation") return false;
  for (const method of methods)
    try {
      const match = await target.find(method, false, path);
      if (match.endpoint.access === "open") return true;
    } catch (other) {
      if (!leadsNowhere(other)) throw other;
    }
  return false;
}
