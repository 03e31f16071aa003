import { describe, expect, it } from "vitest";
import { memoryStore } from "../../../src/index.ts";
import { authority } from "../../support/authority.ts";
import { faultyStores, unreachable } from "../../support/faulty.ts";

const enabled = async (path = "approle") => {
  const a = authority();
  expect((await a.call("POST", `sys/auth/${path}`, { type: "approle" })).status).toBe(204);
  return a;
};
const infoOf = (accessor: unknown) => ({
  type: "approle",
  description: "",
  accessor,
  local: false,
  options: null,
  deprecation_status: "supported",
  config: {
    default_lease_ttl: 0,
    max_lease_ttl: 0,
    force_no_cache: false,
    token_type: "default-service",
  },
});

describe("sys/auth", () => {
  it("(listMethods, readMethod, enableMethod) lists enabled methods and the built-in method token, also at the top level of the reply", async () => {
    const a = await enabled();
    const { json, data } = await a.call("GET", "sys/auth");
    expect(Object.keys(data).sort()).toEqual(["approle/", "token/"]);
    expect(json["approle/"]).toEqual(data["approle/"]);
    const info = infoOf(expect.stringMatching(/^auth_approle_[0-9a-f]{8}$/));
    expect(data["approle/"]).toMatchObject(info);
    expect(data["token/"]).toMatchObject({ type: "token" });
    expect((await a.call("GET", "sys/auth/approle")).data).toMatchObject(info);
    expect((await a.call("GET", "sys/auth/approle/")).data).toMatchObject(info);
    expect((await a.call("GET", "sys/auth/none")).errors).toEqual(["No auth engine at none/"]);
  });

  it("rejects a path that is in use or nested, an unknown type and contradictory settings, and stores nothing", async () => {
    const a = await enabled("team/approle");
    for (const [path, body, text] of [
      ["team/approle", { type: "approle" }, "path is already in use at team/approle/"],
      ["team", { type: "approle" }, "path is already in use at team/approle/"],
      ["team/approle/more", { type: "approle" }, "path is already in use at team/approle/"],
      ["token", { type: "approle" }, "path is already in use at token/"],
      ["a", {}, "backend type must be specified as a string"],
      ["a", { type: "nis" }, "plugin not found in the catalog: nis"],
      ["a", { type: "toString" }, "plugin not found in the catalog: toString"],
      [
        "a",
        { type: "approle", config: { default_lease_ttl: "2h", max_lease_ttl: "1h" } },
        "given default lease TTL greater than given max lease TTL",
      ],
      [
        "a",
        { type: "approle", config: { token_type: "none" } },
        "invalid 'token_type': use one of default-service, default-batch, service, batch",
      ],
    ] as const) {
      const answer = await a.call("POST", `sys/auth/${path}`, body);
      expect([path, answer.status, answer.errors]).toEqual([path, 400, [text]]);
    }
    expect(Object.keys((await a.call("GET", "sys/auth")).data).sort()).toEqual([
      "team/approle/",
      "token/",
    ]);
  });

  it("rejects one of two nested paths that are enabled concurrently", async () => {
    const a = authority();
    await a.call("GET", "sys/auth");
    const statuses = await Promise.all(
      ["a", "a/b"].map(
        async (path) => (await a.call("POST", `sys/auth/${path}`, { type: "approle" })).status,
      ),
    );
    expect(statuses.sort()).toEqual([204, 400]);
  });

  it("(readMountedMethod) also returns methods below sys/mounts/auth, as Terraform's provider expects, without sudo", async () => {
    const a = await enabled();
    const { data } = await a.call("GET", "sys/mounts/auth/approle");
    expect(data).toEqual((await a.call("GET", "sys/auth/approle")).data);
    const asOperator = await a.call("GET", "sys/mounts/auth/approle", undefined, {
      token: "operator",
    });
    expect(asOperator.status).toBe(200);
    expect((await a.call("GET", "sys/mounts/auth/none")).errors).toEqual([
      "No auth engine at none/",
    ]);
  });

  it.each(["sys/auth", "sys/mounts/auth"])(
    "(readMethodTune, writeMethodTune, readMountedTune, writeMountedTune) reads and writes the tuning of a method below %s",
    async (base) => {
      const a = await enabled();
      const body = {
        default_lease_ttl: "1h",
        description: "of machines",
        listing_visibility: "unauth",
        token_type: "batch",
      };
      expect((await a.call("POST", `${base}/approle/tune`, body)).status).toBe(204);
      const { data } = await a.call("GET", `${base}/approle/tune`);
      expect(data).toEqual({
        default_lease_ttl: 3600,
        max_lease_ttl: 2764800,
        description: "of machines",
        listing_visibility: "unauth",
        token_type: "batch",
        force_no_cache: false,
      });
      expect((await a.call("POST", `${base}/token/tune`, { max_lease_ttl: "2h" })).status).toBe(
        204,
      );
      expect((await a.call("GET", `${base}/token/tune`)).data).toMatchObject({
        max_lease_ttl: 7200,
        token_type: "default-service",
      });
      expect((await a.call("GET", `${base}/none/tune`)).errors).toEqual([
        'cannot fetch sysview for path "auth/none/"',
      ]);
      expect((await a.call("POST", `${base}/none/tune`, {})).status).toBe(400);
    },
  );

  it("(disableMethod) removes a method and its rows, on other engines within a second; the method token cannot be disabled", async () => {
    const a = await enabled();
    const b = authority({ stores: a.stores, clock: a.clock });
    await a.call("POST", "auth/approle/role/web", {});
    expect((await b.call("GET", "auth/approle/role/web")).status).toBe(200);
    expect((await a.call("DELETE", "sys/auth/approle")).status).toBe(204);
    expect((await a.call("DELETE", "sys/auth/approle")).status).toBe(204);
    const gone = await a.call("GET", "auth/approle/role/web");
    expect([gone.status, gone.errors]).toEqual([
      404,
      ['no handler for route "auth/approle/role/web". route entry not found.'],
    ]);
    // an engine that has not noticed the change yet can no longer write
    expect((await b.call("POST", "auth/approle/role/new", {})).status).toBe(404);
    a.clock.advance(1);
    expect((await b.call("GET", "auth/approle/role/web")).status).toBe(404);
    expect(await a.stores("sys").list("methoddata/")).toEqual([]);
    expect((await a.call("DELETE", "sys/auth/token")).errors).toEqual([
      "token credential backend cannot be disabled",
    ]);
  });

  it("revokes the tokens of a disabled method later if that failed at first, but none of a new method at its path", async () => {
    const { stores, fault } = faultyStores(memoryStore());
    const a = authority({ stores });
    const signIn = async () => {
      await a.call("POST", "sys/auth/people", { type: "userpass" });
      await a.call("POST", "auth/people/users/bob", { password: "a password" });
      const { json } = await a.call("POST", "auth/people/login/bob", { password: "a password" });
      // the reply of every login
      return (json["auth"] as { readonly client_token: string }).client_token;
    };
    const lives = async (token: string) =>
      (await a.call("GET", "auth/token/lookup-self", undefined, { token })).status === 200;
    const old = await signIn();
    fault("sys", (_, batch) =>
      batch?.del?.some((key) => key.startsWith("token/")) ? unreachable() : undefined,
    );
    expect((await a.call("DELETE", "sys/auth/people")).status).toBe(204);
    fault("sys", undefined);
    const made = await signIn();
    expect(await lives(old)).toBe(true);
    a.clock.advance(60);
    await a.ca.tick();
    expect([await lives(old), await lives(made)]).toEqual([false, true]);
  });

  it("requires sudo, except for the list and the paths below sys/mounts", async () => {
    const a = await enabled();
    const status = async (method: string, path: string) =>
      (await a.call(method, path, method === "POST" ? {} : undefined, { token: "operator" }))
        .status;
    expect(await status("GET", "sys/auth")).toBe(200);
    expect(await status("GET", "sys/mounts/auth/approle/tune")).toBe(200);
    expect(await status("POST", "sys/mounts/auth/approle/tune")).toBe(204);
    for (const [method, path] of [
      ["GET", "sys/auth/approle"],
      ["POST", "sys/auth/new"],
      ["DELETE", "sys/auth/approle"],
      ["GET", "sys/auth/approle/tune"],
      ["POST", "sys/auth/approle/tune"],
    ] as const)
      expect([method, path, await status(method, path)]).toEqual([method, path, 403]);
  });
});
