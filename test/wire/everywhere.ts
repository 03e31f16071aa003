import { loginTypes } from "../../src/endpoints/logins.ts";
import { auth, identity, pki, sys } from "../../src/endpoints/all.ts";
import type { Capability } from "../../src/index.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { spellings } from "../../src/wire/spelling.ts";

const values: Readonly<Record<string, string>> = {
  name: "web",
  setting: "policies",
  username: "bob",
  id: "01234567-89ab-cdef-0123-456789abcdef",
  role: "web",
  issuer_ref: "default",
  key_ref: "default",
  serial: "01:02",
  path: "pki",
  below: "pki/issue/web",
  key_id: "01234567-89ab-cdef-0123-456789abcdef",
  // another spelling is another path
  shard: "4-1",
};
const capabilities: Readonly<Record<string, Capability>> = {
  GET: "read",
  LIST: "list",
  POST: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Every way to send every spelling of an endpoint. */
export function requests(
  base: string,
  endpoint: AnyEndpoint,
): readonly (readonly [
  method: string,
  path: string,
  header: Record<string, string>,
  capability: Capability,
  judged: string,
])[] {
  return spellings(endpoint).flatMap(([method, spelled]) => {
    const written = (base + spelled).replace(
      /:(\w+)\+?/g,
      (_, name: string) => values[name] ?? "x",
    );
    // a dry run is judged under the path that it stands for
    const judged =
      endpoint.policyPathOf === undefined ? written : written.replace("/explain/", "/");
    const capability = capabilities[method] ?? "update";
    const send = (verb: string, path = written, header: Record<string, string> = {}) =>
      [verb, path, header, capability, judged] as const;
    if (method === "LIST") {
      return [
        send("LIST"),
        send("LIST", `${written}/`),
        send("GET", `${written}?list=true`),
        send("GET", `${written}/?list=1`),
        // a plain GET of most of these paths lists too: not beside list=false
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
const groups: readonly (readonly [base: string, endpoints: readonly AnyEndpoint[]])[] = [
  ["pki", pki],
  ["sys", sys],
  ["auth", auth],
  ["identity", identity],
  ...Object.entries(loginTypes).map(
    ([type, { endpoints }]) => [`auth/${type}`, endpoints] as const,
  ),
];
/** Every endpoint below `/v1`, with the path that it is below. */
export const cases = groups.flatMap(([base, endpoints]) =>
  endpoints.map((endpoint: AnyEndpoint) => ({ id: endpoint.id, base, endpoint })),
);
