import { loginTypes } from "../../src/endpoints/logins.ts";
import { auth, identity, pki, sys } from "../../src/endpoints/all.ts";
import type { Capability } from "../../src/index.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { identityForms } from "../../src/auth/entity/names.ts";
import { mountTypes } from "../../src/endpoints/mount-types.ts";
import { forms as sysForms } from "../../src/sys/path-parameters.ts";
import type { Forms } from "../../src/wire/endpoint-list.ts";
import { expandPatterns } from "../../src/wire/route-patterns.ts";

const values: Readonly<Record<string, string>> = {
  name: "web",
  setting: "policies",
  username: "bob",
  id: "01234567-89ab-cdef-0123-456789abcdef",
  role: "web",
  issuer_ref: "default",
  path_ref: "default",
  key_ref: "default",
  serial: "01:02",
  path: "pki",
  below: "pki/issue/web",
  key_id: "01234567-89ab-cdef-0123-456789abcdef",
  // any other form is another path
  shard: "4-1",
};
const capabilities: Readonly<Record<string, Capability>> = {
  GET: "read",
  LIST: "list",
  POST: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Returns a path or route as policies see it: a dry run requires the capabilities of the real call. */
export const judgedShape = (path: string): string => path.replace("/explain/", "/");

/** Returns every way to send every path of an endpoint. */
export function requests(
  base: string,
  endpoint: AnyEndpoint,
): readonly (readonly [
  method: string,
  path: string,
  header: Record<string, string>,
  capability: Capability,
  judged: string,
  shape: string,
])[] {
  return expandPatterns(endpoint).flatMap(([method, spelled]) => {
    const written = (base + spelled).replace(
      /:(\w+)\+?/g,
      (_, name: string) => values[name] ?? "x",
    );
    const judged = judgedShape(written);
    const capability = capabilities[method] ?? "update";
    const send = (verb: string, path = written, header: Record<string, string> = {}) =>
      [verb, path, header, capability, judged, base + spelled] as const;
    if (method === "LIST") {
      return [
        send("LIST"),
        send("LIST", `${written}/`),
        send("GET", `${written}?list=true`),
        send("GET", `${written}/?list=1`),
        // a plain GET of most of these paths also lists, except with list=false
        send("GET", `${written}?list=false`, { "x-http-method-override": "LIST" }),
        send("HEAD", `${written}?list=true`),
      ];
    }
    if (method === "GET")
      return [
        send("GET"),
        send("HEAD"),
        send("GET", `${written}/`),
        send("GET", written, { "x-http-method-override": "DELETE" }),
      ];
    if (method === "POST")
      return [
        send("POST"),
        send("PUT"),
        send("POST", `${written}?list=true`, { "x-http-method-override": "LIST" }),
      ];
    if (method === "PATCH")
      return [send("PATCH", written, { "content-type": "application/merge-patch+json" })];
    return [
      send(method),
      send(method, `${written}/`),
      send(method, written, { "x-http-method-override": "GET" }),
    ];
  });
}
type Group = readonly [base: string, endpoints: readonly AnyEndpoint[], forms: Forms];
const groups: readonly Group[] = [
  ["pki", pki, mountTypes.pki.forms],
  ["sys", sys, sysForms],
  ["auth", auth, {}],
  ["identity", identity, identityForms],
  ...Object.entries(loginTypes).map(
    ([type, { endpoints, forms }]) => [`auth/${type}`, endpoints, forms] as const,
  ),
];
/**
 * All endpoints below `/v1`, with the mount of their path and the parameters that have several
 * forms.
 */
export const cases = groups.flatMap(([base, endpoints, forms]) =>
  endpoints.map((endpoint: AnyEndpoint) => ({ id: endpoint.id, base, endpoint, forms })),
);
