import { expect, it } from "vitest";
import { authority, type Authority } from "../../support/authority.ts";
import { tokensOf } from "../../support/tokens.ts";

const all = "sys/internal/ui/mounts";
/** Creates an authority with two mounts and two login methods, one of each publicly visible. */
async function world() {
  const a = authority();
  await a.root();
  const open = { config: { listing_visibility: "unauth" }, description: "for all" };
  await a.sys.createMount({ path: "open", type: "pki", ...open, options: { version: "1" } });
  await a.sys.createMount({
    path: "deep/down",
    type: "pki",
    config: { listing_visibility: "hidden" },
  });
  await a.sys.enableMethod({ path: "users", type: "userpass", ...open });
  await a.sys.enableMethod({ path: "machines", type: "approle" });
  const maker = tokensOf(a);
  const holding = async (policy: string): Promise<string> => {
    await a.call("POST", "sys/policies/acl/mine", { policy });
    a.clock.advance(2);
    return (await maker(["mine"])).token;
  };
  return { ...a, holding };
}
const listed = async ({ call }: Pick<Authority, "call">, token: string) => {
  const { data } = await call("GET", all, undefined, { token });
  const { secret, auth } = data as Record<string, Record<string, unknown>>;
  return { secret: secret ?? {}, auth: auth ?? {} };
};
const denied = (path: string) =>
  `preflight capability check returned 403, please ensure client's policies grant access to path "${path}/"`;

it("sys/internal/ui/mounts: an anonymous caller gets only publicly visible mounts, with type, description and options", async () => {
  const w = await world();
  for (const token of ["", "stranger"])
    expect(await listed(w, token)).toEqual({
      secret: { "open/": { type: "pki", description: "for all", options: { version: "1" } } },
      auth: { "users/": { type: "userpass", description: "for all", options: null } },
    });
});

it("sys/internal/ui/mounts: a token gets the publicly visible mounts and those for which it has any permission, with all fields", async () => {
  const w = await world();
  const root = await listed(w, "root");
  expect(Object.keys(root.secret).sort()).toEqual([
    "cubbyhole/",
    "deep/down/",
    "identity/",
    "open/",
    "pki/",
    "sys/",
  ]);
  expect(Object.keys(root.auth).sort()).toEqual(["machines/", "token/", "users/"]);
  expect(root.secret["pki/"]).toEqual((await w.call("GET", "sys/mounts/pki")).data);
  expect(root.auth["machines/"]).toEqual((await w.call("GET", "sys/auth/machines")).data);
  const token = await w.holding(
    'path "deep/+/issue/web" { capabilities = ["update"] } path "auth/machines/role/*" { capabilities = ["read"] }',
  );
  const some = await listed(w, token);
  expect([Object.keys(some.secret).sort(), Object.keys(some.auth).sort()]).toEqual([
    ["deep/down/", "open/"],
    ["machines/", "users/"],
  ]);
  expect(some.secret["open/"]).toEqual(root.secret["open/"]);
  const { sys: owner } = w;
  expect(Object.keys((await owner.listVisibleMounts({})).secret)).toContain("pki/");
});

it("sys/internal/ui/mounts/:path: a caller with any permission there gets the mount, and all other cases are indistinguishable", async () => {
  const w = await world();
  const token = await w.holding(
    'path "deep/down/issue/web" { capabilities = ["update"] } path "auth/machines/*" { capabilities = ["read"] }',
  );
  const at = (path: string, sent = token) =>
    w.call("GET", `${all}/${path}`, undefined, { token: sent });
  for (const path of ["deep/down", "deep/down/", "deep/down/issue/web", "deep/down/cert/01:02"]) {
    const { status, data } = await at(path);
    expect([status, data]).toEqual([
      200,
      { ...(await w.call("GET", "sys/mounts/deep/down")).data, path: "deep/down/" },
    ]);
  }
  expect((await at("auth/machines/login")).data).toMatchObject({
    type: "approle",
    path: "auth/machines/",
  });
  for (const [path, sent] of [
    ["pki/issue/web", token],
    ["open", token],
    ["none/at/all", token],
    ["deep", token],
    ["deep/downtown", token],
    ["deep/down", ""],
    ["deep/down", "stranger"],
    ["none", "root"],
  ] as const) {
    const { status, errors } = await at(path, sent);
    expect([path, status, errors]).toEqual([path, 403, [denied(path)]]);
  }
});

it("sys/internal/ui/mounts: callers that the host authenticates are authorized on the path of the mount itself", async () => {
  const asked: string[] = [];
  const can = (_: string, path: string) => (asked.push(path), path === "pki/");
  const a = authority({ authenticate: async () => ({ id: "host", can }) });
  expect(Object.keys((await listed(a, "any")).secret)).toEqual(["pki/"]);
  expect(asked).toContain("auth/token/");
});

it("sys/internal/ui/mounts: a change of a mount's visibility takes effect at once", async () => {
  const w = await world();
  await w.sys.writeTune({ path: "open", listing_visibility: "" });
  await w.sys.writeTune({ path: "pki", listing_visibility: "unauth" });
  expect(Object.keys((await listed(w, "")).secret)).toEqual(["pki/"]);
});
