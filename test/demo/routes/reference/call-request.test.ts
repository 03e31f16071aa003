import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { callsOf, type ApiCall } from "../../../../demo/api/openapi-calls.ts";
import type { Paths } from "../../../../demo/api/openapi.ts";
import {
  dryRunOf,
  isRead,
  parametersOf,
  requestOfCall,
} from "../../../../demo/routes/reference/call-request.ts";
import { keyWarnings } from "../../../../demo/routes/reference/key-effects.ts";
import { isSendable, type NamedSchemas } from "../../../../demo/routes/reference/schemas.ts";
import { root } from "../../../support/syntax.ts";

const { paths, components } = JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8")) as {
  readonly paths: Paths;
  readonly components: { readonly schemas: NamedSchemas };
};
const calls = callsOf(paths, "teams/web");
function callAt(verb: string, path: string): ApiCall {
  const found = calls.find((one) => one.verb === verb && one.path === path);
  if (!found) throw new Error(`there is no call ${verb} ${path}`);
  return found;
}

it("the request of a call has its parameters encoded in path and query, without empty ones", () => {
  const issue = callAt("POST", "/v1/teams/web/issue/:role");
  const body = { common_name: "a.test" };
  expect(requestOfCall(issue, "teams/web", { role: "a/b c" }, body)).toEqual({
    verb: "POST",
    path: "teams/web/issue/a%2Fb%20c",
    body,
    access: "",
  });
  const list = callAt("LIST", "/v1/teams/web/certs");
  expect(parametersOf(list).map(({ name }) => name)).toEqual(["after", "limit"]);
  expect(requestOfCall(list, "teams/web", { limit: "5", after: "" }, undefined)).toEqual({
    verb: "LIST",
    path: "teams/web/certs?limit=5",
    body: undefined,
    access: "",
  });
  const mount = callAt("POST", "/v1/sys/mounts/:path");
  expect(requestOfCall(mount, "teams/web", { path: "teams/mail" }, {}).path).toBe(
    "sys/mounts/teams/mail",
  );
});

it("a request has the access of its call: no token, a permission, or sudo", () => {
  const accessOf = (verb: string, path: string): string =>
    requestOfCall(callAt(verb, path), "teams/web", {}, undefined).access;
  expect(accessOf("GET", "/v1/sys/health")).toBe("open");
  expect(accessOf("POST", "/v1/teams/web/revoke")).toBe("");
  expect(accessOf("POST", "/v1/sys/seal")).toBe("sudo");
  expect(accessOf("POST", "/v1/teams/web/root/sign-self-issued")).toBe("sudo");
});

it("the dry run of a call is its explain call, or the call itself with dry_run", () => {
  const issue = callAt("POST", "/v1/teams/web/issue/:role");
  expect(dryRunOf(issue, calls, [])?.call.path).toBe("/v1/teams/web/explain/issue/:role");
  const bulk = callAt("POST", "/v1/teams/web/certs/revoke");
  expect(dryRunOf(bulk, calls, [{ name: "dry_run" }])).toEqual({
    call: bulk,
    body: { dry_run: true },
  });
  const revoke = callAt("POST", "/v1/teams/web/revoke");
  expect(dryRunOf(revoke, calls, [{ name: "serial_number" }])).toBeUndefined();
  expect([issue, revoke].map(isRead)).toEqual([false, false]);
  expect(isRead(callAt("POST", "/v1/teams/web/explain/issue/:role"))).toBe(true);
});

it("calls with binary bodies or replies cannot be sent from the reference", () => {
  expect(isSendable(callAt("GET", "/v1/teams/web/ca/pem"))).toBe(false);
  expect(isSendable(callAt("POST", "/v1/teams/web/ocsp"))).toBe(false);
  expect(isSendable(callAt("POST", "/v1/teams/web/issue/:role"))).toBe(true);
});

it.each([
  ["POST", "/v1/teams/web/issue/:role", ["private key"], false],
  ["POST", "/v1/auth/token/create", ["a token"], false],
  ["POST", "/v1/teams/web/acme/new-eab", ["binding key"], false],
  ["POST", "/v1/teams/web/root/rotate/exported", ["private key"], true],
  ["POST", "/v1/teams/web/root/generate/internal", [], true],
  ["DELETE", "/v1/teams/web/key/:key_ref", [], true],
  ["POST", "/v1/sys/rotate", [], true],
  ["POST", "/v1/teams/web/sign/:role", [], false],
  ["GET", "/v1/teams/web/key/:key_ref", [], false],
])(
  "the warnings for %s %s name secrets in the reply and changes of keys",
  (verb, path, secrets, changes) => {
    const warnings = keyWarnings(callAt(verb, path), components.schemas);
    expect(warnings).toHaveLength(secrets.length + Number(changes));
    for (const secret of secrets) expect(warnings[0]).toContain(secret);
    expect(warnings.join(" ").includes("changes or deletes a key")).toBe(changes);
  },
);
