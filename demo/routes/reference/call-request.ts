import * as auth from "../../api/endpoints/auth.ts";
import * as pki from "../../api/endpoints/pki.ts";
import * as sys from "../../api/endpoints/sys.ts";
import { pathsOf, queryOf, type EndpointRequest, type Verb } from "../../api/endpoint.ts";
import type { ApiCall } from "../../api/openapi-calls.ts";
import type { Schema } from "../../api/openapi.ts";

/** A parameter in the path or the query of a call. */
export interface CallParameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly isRequired: boolean;
  readonly hint: string;
  readonly example: string;
  readonly schema: Schema;
}

/** Returns the parameters of a call that are in the path or the query. */
export function parametersOf({ path, operation: { parameters = [] } }: ApiCall): CallParameter[] {
  return parameters.flatMap(
    ({ name, in: where, required = false, description = "", schema = {}, example }) => {
      const isQuery = where === "query" && name !== "list";
      // omit the mount path parameter: the call always goes to the current mount
      if (!isQuery && !(where === "path" && path.includes(`:${name}`))) return [];
      return [
        {
          name,
          in: isQuery ? "query" : "path",
          isRequired: required,
          hint: description,
          example: typeof example === "string" ? example : "",
          schema,
        },
      ];
    },
  );
}

const normalized = (verb: string, pattern: string): string =>
  `${verb} ${pattern.replace(/:\w+\+?/g, ":")}`;
/**
 * The calls that require the `sudo` capability. The paths of calls in a mount are relative to the
 * mount.
 */
const sudoCalls: ReadonlySet<string> = new Set(
  [auth, pki, sys]
    .flatMap((table) => Object.values<string>(table))
    .flatMap(pathsOf)
    .filter(({ access }) => access === "sudo")
    .map(({ verb, pattern }) => normalized(verb, pattern)),
);
const accessOf = ({ verb, path, operation }: ApiCall, mount: string): EndpointRequest["access"] => {
  const { security = [] } = operation;
  if (security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0))
    return "open";
  const below = path.replace(`/v1/${mount}/`, "").replace(/^\/v1/, "");
  return sudoCalls.has(normalized(verb, below)) ? "sudo" : "";
};

/** Returns the request for a call with the entered parameters. Omits empty parameters. */
export function requestOfCall(
  call: ApiCall,
  mount: string,
  typed: Readonly<Record<string, string>>,
  body: object | undefined,
): EndpointRequest {
  const parameters = parametersOf(call);
  const path = call.path.replace(/^\/v1\//, "").replace(/:(\w+)/g, (_, name: string) => {
    const value = typed[name] ?? "";
    const hint = parameters.find((one) => one.name === name)?.hint ?? "";
    return hint.includes("may contain slashes")
      ? value.split("/").filter(Boolean).map(encodeURIComponent).join("/")
      : encodeURIComponent(value);
  });
  const query = Object.fromEntries(
    parameters
      .filter(({ name, in: where }) => where === "query" && (typed[name] ?? "") !== "")
      .map(({ name }) => [name, typed[name] ?? ""]),
  );
  return {
    // the description contains the verbs of the API, and PUT as an alias of POST
    verb: (call.verb === "PUT" ? "POST" : call.verb) as Verb,
    path: path + queryOf(query),
    body,
    access: accessOf(call, mount),
  };
}

/** Reports whether a call changes nothing. */
export const isRead = ({ verb, path }: ApiCall): boolean =>
  verb === "GET" || verb === "LIST" || path.includes("/explain/");

/**
 * Returns the request for a dry run of a call: its `explain` endpoint, or the same call with
 * `dry_run`. Returns undefined if the call has no dry run.
 */
export function dryRunOf(
  call: ApiCall,
  all: readonly ApiCall[],
  members: readonly { readonly name: string }[],
): { readonly call: ApiCall; readonly body: object } | undefined {
  if (members.some(({ name }) => name === "dry_run")) return { call, body: { dry_run: true } };
  const path = call.path.replace(/\/(?:issue|sign|sign-verbatim)(?:\/:role)?$/, "/explain$&");
  const match = path === call.path ? undefined : all.find((one) => one.path === path);
  return match && { call: match, body: {} };
}
