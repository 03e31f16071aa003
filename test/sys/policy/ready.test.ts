import { describe, expect, it } from "vitest";
import { loginTypes } from "../../../src/endpoints/logins.ts";
import * as declared from "../../../src/endpoints/all.ts";
import { memoryStore } from "../../../src/index.ts";
import { capabilitiesOf, compileAcl } from "../../../src/policy/index.ts";
import { parsePolicy } from "../../../src/policy/policy.ts";
import { authorize } from "../../../src/wire/access.ts";
import type { AnyEndpoint } from "../../../src/wire/endpoint.ts";
import { expandPatterns } from "../../../src/wire/route-patterns.ts";
import { authority, type Authority } from "../../support/authority.ts";
import { tokensOf } from "../../support/tokens.ts";

const textOf = async ({ call }: Authority, name: string): Promise<string> => {
  const { status, data } = await call("GET", `sys/policies/acl/${name}`);
  return status === 200 ? String(data["policy"]) : `${status}`;
};
const namesOf = async ({ call }: Authority) =>
  (await call("LIST", "sys/policies/acl")).data["keys"] as readonly string[];

const { mountTypes, pki, acme, sys, auth, identity } = declared;
/** All endpoints below `/v1`, with the mount of their path. */
const everywhere: readonly (readonly [string, readonly AnyEndpoint[]])[] = [
  ["pki", [...pki, ...acme]],
  ["sys", sys],
  ["auth", auth],
  ["identity", identity],
  ...Object.entries(loginTypes).map(
    ([type, { endpoints }]) => [`auth/${type}`, endpoints as readonly AnyEndpoint[]] as const,
  ),
];
/** Returns the calls that policies grant, one line for each path, with unchanged parameters. */
function granted(text: string, base = "pki"): readonly string[] {
  const acl = compileAcl([{ name: "p", ...parsePolicy(text) }]);
  const lines = everywhere.flatMap(([place, endpoints]) =>
    endpoints.flatMap((endpoint) =>
      expandPatterns(endpoint).flatMap(([method, path]) => {
        if (endpoint.access === "open" || endpoint.access === "known") return [];
        const mount = place === "pki" ? base : place;
        const written = path.replace(/:(\w+)\+?/g, "x");
        try {
          authorize(
            { id: "", can: acl.can },
            { endpoint, shape: path },
            { method },
            { mount, path: written },
          );
        } catch {
          return [];
        }
        return [`${method} ${place}${path}${endpoint.access === "sudo" ? " sudo" : ""}`];
      }),
    ),
  );
  return [...new Set(lines)].sort();
}

const ofRoles = ["GET pki/roles/:name", "LIST pki/roles"];
// dry runs require the same rights as real calls
const ofUsers = [
  "POST pki/explain/issue/:role",
  "POST pki/explain/sign/:role",
  "POST pki/issue/:role",
  "POST pki/revoke-with-key",
  "POST pki/sign/:role",
];
const ofOperators = [
  "POST pki/explain/sign-verbatim",
  "POST pki/explain/sign-verbatim/:role+",
  "POST pki/issuer/:issuer_ref/explain/issue/:role",
  "POST pki/issuer/:issuer_ref/explain/sign/:role",
  "POST pki/issuer/:issuer_ref/issue/:role",
  "POST pki/issuer/:issuer_ref/sign/:role",
  "POST pki/issuer/:issuer_ref/sign-intermediate",
  "POST pki/issuer/:issuer_ref/sign-self-issued sudo",
  "POST pki/issuer/:path_ref/explain/sign-verbatim",
  "POST pki/issuer/:path_ref/explain/sign-verbatim/:role+",
  "POST pki/issuer/:path_ref/sign-verbatim",
  "POST pki/issuer/:path_ref/sign-verbatim/:role+",
  "POST pki/root/sign-intermediate",
  "POST pki/root/sign-self-issued sudo",
  "POST pki/revoke",
  "POST pki/sign-verbatim",
  "POST pki/sign-verbatim/:role+",
];
const ofBinding = [
  "POST pki/acme/new-eab",
  "POST pki/roles/:role/acme/new-eab",
  "POST pki/issuer/:issuer_ref/acme/new-eab",
  "POST pki/issuer/:issuer_ref/roles/:role/acme/new-eab",
];
const expected = {
  user: [...ofRoles, ...ofUsers],
  admin: [...ofRoles, ...ofUsers, ...ofOperators],
  "acme-eab": ofBinding,
};

describe("the policies created with a mount", () => {
  it.each([
    ["pki", "user", "pki-user"],
    ["pki", "admin", "pki-admin"],
    ["pki", "acme-eab", "acme-eab"],
    ["team/ca.1", "user", "team-ca.1-user"],
    ["team/ca.1", "admin", "team-ca.1-admin"],
    ["team/ca.1", "acme-eab", "team-ca.1-acme-eab"],
  ] as const)("at %s grant as %s exactly the listed calls", async (path, who, name) => {
    const made = authority();
    if (path !== "pki") await made.call("POST", `sys/mounts/${path}`, { type: "pki" });
    const text = await textOf(made, name);
    expect(granted(text, path)).toEqual([...expected[who]].sort());
    // and nothing at another mount
    expect(granted(text, "other")).toEqual([]);
  });

  it("let a user request certificates, and an admin operate the CA", async () => {
    const made = authority();
    await made.root();
    await made.role("web");
    const maker = tokensOf(made);
    const [user, admin] = [await maker(["pki-user"]), await maker(["pki-admin"])];
    const status = async (token: string, path: string, body: object = {}) =>
      (await made.call("POST", path, body, { token })).status;
    expect(await status(user.token, "pki/issue/web", { common_name: "a" })).toBe(200);
    expect(await status(user.token, "pki/issuer/default/issue/web", { common_name: "a" })).toBe(
      403,
    );
    expect(await status(admin.token, "pki/issuer/default/issue/web", { common_name: "a" })).toBe(
      200,
    );
    expect(await status(user.token, "pki/root/sign-self-issued")).toBe(403);
    expect(await status(admin.token, "pki/root/sign-self-issued")).toBe(400);
    expect(await status(admin.token, "pki/roles/web")).toBe(403);
    for (const { token } of [user, admin]) {
      expect((await made.call("LIST", "pki/roles", undefined, { token })).status).toBe(200);
      expect((await made.call("GET", "pki/roles/web", undefined, { token })).status).toBe(200);
    }
  });

  it("exist from the first start, and for every mount that is created", async () => {
    const made = authority();
    const first = ["acme-eab", "default", "pki-admin", "pki-user", "root"];
    expect(await namesOf(made)).toEqual(first);
    await made.call("POST", "sys/mounts/Team/CA", { type: "pki" });
    expect(await namesOf(made)).toEqual(
      [...first, "team-ca-acme-eab", "team-ca-admin", "team-ca-user"].sort(),
    );
    expect(await textOf(made, "team-ca-user")).toContain('path "Team/CA/issue/+"');
  });

  it("never replace a policy that a caller has written", async () => {
    const made = authority();
    const own = { policy: 'path "x" { policy = "read" }' };
    await made.call("PUT", "sys/policies/acl/web-user", own);
    await made.call("PUT", "sys/policies/acl/pki-user", own);
    await made.call("POST", "sys/mounts/web", { type: "pki" });
    // the mount of the first start is replaced
    expect((await made.call("POST", "sys/mounts/pki", { type: "pki" })).status).toBe(204);
    expect(await textOf(made, "web-user")).toBe(own.policy);
    expect(await textOf(made, "pki-user")).toBe(own.policy);
    expect(await textOf(made, "web-admin")).toContain("web/sign-verbatim");
  });

  it("get a number in their names if another mount already has policies of these names", async () => {
    const made = authority();
    for (const path of ["a/b", "a-b", "A-B", "PKI"])
      await made.call("POST", `sys/mounts/${path}`, { type: "pki" });
    const grants = async (name: string) =>
      /path "([^"]+)\/issue\/\+"/.exec(await textOf(made, name))?.[1];
    expect(await grants("a-b-user")).toBe("a/b");
    expect(await grants("a-b-2-user")).toBe("a-b");
    expect(await grants("a-b-2-admin")).toBe("a-b");
    expect(await grants("a-b-3-user")).toBe("A-B");
    expect(await grants("pki-user")).toBe("pki");
    expect(await grants("pki-2-user")).toBe("PKI");
    expect(await textOf(made, "pki-2-acme-eab")).toContain('path "PKI/acme/new-eab"');
    expect(await textOf(made, "pki-acme-eab")).toBe("404");
    await made.call("DELETE", "sys/mounts/a-b");
    expect(await grants("a-b-user")).toBe("a/b");
    expect(await grants("a-b-2-user")).toBe(undefined);
    await made.call("POST", "sys/remount", { from: "a/b", to: "a-b" });
    expect(await grants("a-b-user")).toBe("a-b");
    await made.call("POST", "sys/remount", { from: "A-B", to: "A/B" });
    expect(await grants("a-b-3-user")).toBe(undefined);
    expect(await grants("a-b-2-user")).toBe("A/B");
    await made.call("DELETE", "sys/mounts/A/B");
    expect((await namesOf(made)).filter((name) => name.startsWith("a-b"))).toEqual([
      "a-b-acme-eab",
      "a-b-admin",
      "a-b-user",
    ]);
  });

  it("are deleted with their mount unless they were changed", async () => {
    const made = authority();
    await made.call("POST", "sys/mounts/web", { type: "pki" });
    const text = await textOf(made, "web-admin");
    await made.call("PUT", "sys/policies/acl/web-user", { policy: `${text}\n# changed` });
    await made.call("DELETE", "sys/mounts/web");
    expect((await namesOf(made)).filter((name) => name.startsWith("web"))).toEqual(["web-user"]);
    await made.call("DELETE", "sys/mounts/pki");
    expect(await namesOf(made)).toEqual(["default", "root", "web-user"]);
    // policies that were already deleted do not matter
    await made.call("POST", "sys/mounts/app", { type: "pki" });
    await made.call("DELETE", "sys/policies/acl/app-admin");
    expect((await made.call("DELETE", "sys/mounts/app")).status).toBe(204);
    expect(await namesOf(made)).toEqual(["default", "root", "web-user"]);
  });

  it("are replaced by those of the new path when their mount moves", async () => {
    const made = authority();
    await made.call("POST", "sys/mounts/web", { type: "pki" });
    await made.call("PUT", "sys/policies/acl/web-user", { policy: 'path "x" { policy = "read" }' });
    await made.call("POST", "sys/remount", { from: "web", to: "Web2" });
    const names = await namesOf(made);
    expect(names.filter((name) => name.startsWith("web"))).toEqual([
      "web-user",
      "web2-acme-eab",
      "web2-admin",
      "web2-user",
    ]);
    await made.call("POST", "sys/remount", { from: "Web2", to: "web2" });
    expect(await namesOf(made)).toEqual(names);
    expect(await textOf(made, "web2-user")).toContain('path "web2/issue/+"');
    await made.call("DELETE", "sys/mounts/web2");
    expect((await namesOf(made)).filter((name) => name.startsWith("web"))).toEqual(["web-user"]);
  });

  it("are created once for the mounts of a deployment that is older than these policies", async () => {
    const stores = memoryStore();
    const before = authority({ stores });
    await before.call("POST", "sys/mounts/web", { type: "pki" });
    const sysStore = stores("sys");
    const rows = await sysStore.list("policy/", { values: false });
    await sysStore.commit({ del: ["readypolicies", ...rows.map(([key]) => key)] });
    const own = { text: 'path "x" { policy = "read" }', modified: 0 };
    await sysStore.commit({ put: [["policy/web-user", own]] });
    const after = authority({ stores });
    expect(await namesOf(after)).toEqual([
      "acme-eab",
      "default",
      "pki-admin",
      "pki-user",
      "root",
      "web-acme-eab",
      "web-admin",
      "web-user",
    ]);
    expect(await textOf(after, "web-user")).toBe(own.text);
    // a deleted policy is not created again
    await after.call("DELETE", "sys/policies/acl/pki-user");
    expect(await namesOf(authority({ stores }))).not.toContain("pki-user");
  });

  it("are created for each of several mounts whose paths result in the same name", async () => {
    const stores = memoryStore();
    const before = authority({ stores });
    for (const path of ["a/b", "a-b"])
      await before.call("POST", `sys/mounts/${path}`, { type: "pki" });
    const sysStore = stores("sys");
    const rows = await sysStore.list("policy/", { values: false });
    await sysStore.commit({ del: ["readypolicies", ...rows.map(([key]) => key)] });
    const after = authority({ stores });
    const names = await namesOf(after);
    expect(names.filter((name) => name.endsWith("-user"))).toEqual([
      "a-b-2-user",
      "a-b-user",
      "pki-user",
    ]);
  });

  it("are combined for a caller with several of them", async () => {
    const made = authority();
    const texts = await Promise.all(["pki-user", "pki-admin"].map((name) => textOf(made, name)));
    const acl = compileAcl(texts.map((text, at) => ({ name: `p${at}`, ...parsePolicy(text) })));
    expect(capabilitiesOf(acl, "pki/issue/web")).toEqual(["create", "update"]);
    expect(capabilitiesOf(acl, "pki/root/sign-self-issued")).toEqual(["create", "sudo", "update"]);
    expect(Object.keys(mountTypes)).toEqual(["pki"]);
  });
});
