import { expect, it } from "vitest";
import { authority } from "../support/authority.ts";

const nowhere = [
  ["GET", "nosuch/thing", 404],
  ["GET", "sys/nosuch", 404],
  ["POST", "sys/nosuch/file", 404],
  ["LIST", "pki/nosuch", 404],
  ["GET", "auth/nosuch/role/x", 404],
  ["PATCH", "pki/certs", 405],
  ["GET", "nosuch/thing/", 404],
  ["GET", "nosuch/thing?help=1", 404],
] as const;

it.for(nowhere)(
  "callers without permissions and anonymous callers do not learn that a path does not exist: %s %s",
  async ([method, path, status]) => {
    const a = authority();
    await a.root();
    const body = method === "POST" || method === "PATCH" ? {} : undefined;
    const ask = async (token: string, compat = false) =>
      (await a.call(method, path, body, { token, compat })).status;
    const made = await a.call("POST", "auth/token/create", {
      no_default_policy: true,
      policies: ["x"],
    });
    const { client_token: bare } = made.json["auth"] as { readonly client_token: string };
    for (const compat of [false, true]) {
      expect(await ask(bare, compat)).toBe(403);
      expect(await ask("unknown", compat)).toBe(403);
      expect(await ask("root", compat)).toBe(status);
    }
    // without a token, the caller learns no more
    expect(await ask("")).toBe(403);
    const anonymous = await a.call(method, path, body, { token: "" });
    const required = await a.call("GET", "sys/mounts", undefined, { token: "" });
    expect([anonymous.status, anonymous.errors]).toEqual([required.status, required.errors]);
    const { status: refused, errors } = await a.call("GET", "sys/mounts", undefined, {
      token: bare,
    });
    expect([refused, errors]).toEqual([
      403,
      (await a.call(method, path, body, { token: bare })).errors,
    ]);
  },
);

it.for([
  // the contract lists `cert/*` and EST among the unauthenticated paths
  ["GET", "pki/cert/crl/raw", 404],
  ["POST", "pki/est/serverkeygen", 404],
  ["POST", "pki/ca/pem", 405],
  ["DELETE", "sys/health", 405],
  ["GET", "auth/up/login/bob", 405],
  ["POST", "pki/issuers", 405],
] as const)(
  "an unauthenticated path tells every caller that it lacks this method or form: %s %s",
  async ([method, path, status]) => {
    const a = authority();
    await a.root();
    await a.call("POST", "sys/auth/up", { type: "userpass" });
    const body = method === "POST" ? {} : undefined;
    const made = await a.call("POST", "auth/token/create", { policies: ["x"] });
    const { client_token: bare } = made.json["auth"] as { readonly client_token: string };
    for (const token of ["", "unknown", bare, "root"])
      expect((await a.call(method, path, body, { token })).status).toBe(status);
  },
);

it("a call of the typed library, which has no token, is rejected with no_route if the mount does not exist", async () => {
  const { ca } = authority();
  const calls = ca.mount("nosuch");
  await expect(calls.listRoles({})).rejects.toMatchObject({ code: "no_route" });
});
