import { describe, expect, it } from "vitest";
import { jobs, mountTypes } from "../../src/endpoints.ts";
import { Mounts } from "../../src/engine/mounts.ts";
import { sealedVault, type Stores } from "../../src/index.ts";
import { authority, clockAt, refusal, seeded, type Authority } from "../support/authority.ts";
import { beforeCommit, faultyStores, unreachable } from "../support/faulty.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { threadTime } from "../support/spent.ts";

interface Info {
  readonly uuid: string;
  readonly config: Readonly<Record<string, unknown>>;
}
const infoOf = async (a: Authority, path: string): Promise<Info> =>
  (await a.call("GET", `sys/mounts/${path}`)).data as unknown as Info;
const create = (a: Authority, path: string, body: object = { type: "pki" }) =>
  a.call("POST", `sys/mounts/${path}`, body);

describe("mounts", () => {
  it("are found quickly in a path with very many slashes", async () => {
    const a = authority();
    const begun = threadTime();
    for (const path of ["a/".repeat(200_000), `pki/${"a/".repeat(200_000)}`])
      expect((await a.call("GET", `${path}x`)).status).toBe(404);
    expect(threadTime() - begun).toBeLessThan(5000);
  });

  it("begin with pki, which can be replaced until something is written into it", async () => {
    const a = authority();
    expect((await infoOf(a, "pki")).config).toMatchObject({
      max_lease_ttl: 87_600 * 3600,
      default_lease_ttl: 0,
    });
    const first = (await infoOf(a, "pki")).uuid;
    expect((await create(a, "pki", { type: "pki", description: "mine" })).status).toBe(204);
    expect(await infoOf(a, "pki")).toMatchObject({
      description: "mine",
      config: { max_lease_ttl: 0 },
    });
    expect((await infoOf(a, "pki")).uuid).not.toBe(first);
    const again = await create(a, "pki");
    expect([again.status, again.errors]).toEqual([400, ["path is already in use at pki/"]]);
    const b = authority();
    await b.role("web");
    expect((await create(b, "pki")).errors).toEqual(["path is already in use at pki/"]);
  });

  it("are listed by path with the built-in ones, also at the top level of the reply", async () => {
    const a = authority();
    await create(a, "int/b", {
      type: "pki",
      description: "below",
      config: {
        default_lease_ttl: "1h",
        max_lease_ttl: 7200,
        listing_visibility: "unauth",
        allowed_response_headers: "Link,Location",
      },
      options: { a: 1 },
      local: true,
      seal_wrap: true,
      external_entropy_access: true,
    });
    const listed = await a.call("GET", "sys/mounts");
    expect(Object.keys(listed.data).sort()).toEqual([
      "cubbyhole/",
      "identity/",
      "int/b/",
      "pki/",
      "sys/",
    ]);
    expect(listed.json["int/b/"]).toEqual(listed.data["int/b/"]);
    expect(listed.data["int/b/"]).toMatchObject({
      type: "pki",
      description: "below",
      local: true,
      seal_wrap: true,
      external_entropy_access: true,
      options: { a: "1" },
      deprecation_status: "supported",
      accessor: expect.stringMatching(/^pki_[0-9a-f]{8}$/) as string,
      config: {
        default_lease_ttl: 3600,
        max_lease_ttl: 7200,
        force_no_cache: false,
        listing_visibility: "unauth",
        allowed_response_headers: ["Link", "Location"],
      },
    });
    expect(await a.sys.readMount({ path: "int/b" })).toMatchObject({ type: "pki" });
    const none = await a.call("GET", "sys/mounts/none");
    expect([none.status, none.errors]).toEqual([400, ["No secret engine mount at none/"]]);
  });

  it.each([
    ["nested in another", "pki/below", { type: "pki" }, "path is already in use at pki/"],
    ["above another", "deep", { type: "pki" }, "path is already in use at deep/one/"],
    ["at a reserved path", "sys/x", { type: "pki" }, "path is already in use at sys/x/"],
    [
      "at the path of identities",
      "identity",
      { type: "pki" },
      "path is already in use at identity/",
    ],
    ["without a type", "new", {}, "backend type must be specified as a string"],
    ["of another type", "new", { type: "kv" }, "plugin not found in the catalog: kv"],
    [
      "with a default above its maximum",
      "new",
      { type: "pki", config: { default_lease_ttl: "2h", max_lease_ttl: "1h" } },
      "given default lease TTL greater than given max lease TTL",
    ],
    [
      "with a default above the system's maximum",
      "new",
      { type: "pki", config: { default_lease_ttl: "769h" } },
      "given default lease TTL greater than system max lease TTL of 2764800",
    ],
    [
      "with an invalid visibility",
      "new",
      { type: "pki", config: { listing_visibility: "all" } },
      "invalid listing_visibility all; use unauth, hidden or an empty string",
    ],
    [
      "with an invalid lifetime",
      "new",
      { type: "pki", config: { max_lease_ttl: "soon" } },
      /^Field validation failed: error converting input for field "max_lease_ttl"/,
    ],
  ] as const)("are not created %s", async (_, path, body, text) => {
    const a = authority();
    await create(a, "deep/one");
    const answer = await create(a, path, body);
    expect([answer.status, answer.errors]).toEqual([
      400,
      [typeof text === "string" ? text : expect.stringMatching(text)],
    ]);
    expect(Object.keys((await a.call("GET", "sys/mounts")).data)).toHaveLength(5);
  });

  it("may share the beginning of a name, and accept plugin_name instead of type", async () => {
    const a = authority();
    expect((await create(a, "pk", { plugin_name: "pki" })).status).toBe(204);
    expect((await create(a, "pki2/a")).status).toBe(204);
    expect((await create(a, "pki2/b")).status).toBe(204);
    await a.ca.mount("pki2/b").generateRoot({ common_name: "B", key_type: "ec" });
    expect((await a.call("GET", "pki2/a/ca")).status).toBe(204);
    expect((await a.call("GET", "pki2/b/ca")).status).toBe(200);
    expect((await a.call("GET", "pki2/ca")).status).toBe(404);
  });

  it("are created once by concurrent creations at one path", async () => {
    const clock = clockAt();
    const stores = memoryStore();
    const [a, b] = [authority({ clock, stores }), authority({ clock, stores, seed: 2 })];
    const statuses = await Promise.all(
      [a, b, a].map(async (one) => (await create(one, "new")).status),
    );
    expect(statuses.sort()).toEqual([204, 400, 400]);
  });

  it("are never nested by concurrent creations", async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const clock = clockAt();
      const stores = memoryStore();
      const both = [
        authority({ clock, stores, seed }),
        authority({ clock, stores, seed: seed + 100 }),
      ];
      const paths = ["deep", "deep/one", "deep/one/two", "wide"];
      const statuses = await Promise.all(
        paths.map(async (path, i) => (await create(both[i % 2] ?? authority(), path)).status),
      );
      const made = paths.filter((_, i) => statuses[i] === 204);
      expect(made.filter((path) => path.startsWith("deep"))).toHaveLength(1);
      expect(made).toContain("wide");
      expect(
        Object.keys(
          (await authority({ clock, stores, seed: 999 }).call("GET", "sys/mounts")).data,
        ).sort(),
      ).toEqual(
        [...made.map((path) => `${path}/`), "cubbyhole/", "identity/", "pki/", "sys/"].sort(),
      );
    }
  });

  it("replace a free pki once in concurrent creations", async () => {
    const clock = clockAt();
    const stores = memoryStore();
    const [a, b] = [authority({ clock, stores }), authority({ clock, stores, seed: 2 })];
    await a.call("GET", "sys/mounts");
    const statuses = await Promise.all(
      [create(a, "pki"), create(b, "pki"), create(a, "other"), create(b, "third")].map(
        async (answer) => (await answer).status,
      ),
    );
    expect([statuses.slice(0, 2).sort(), statuses.slice(2)]).toEqual([
      [204, 400],
      [204, 204],
    ]);
    clock.advance(1);
    await a.root();
    expect((await b.call("LIST", "pki/issuers")).status).toBe(200);
  });

  it("that are rejected leave a free pki unchanged", async () => {
    const a = authority();
    for (const body of [
      { type: "kv" },
      { type: "pki", config: { default_lease_ttl: "2h", max_lease_ttl: "1h" } },
    ])
      expect((await create(a, "pki", body)).status).toBe(400);
    expect((await a.root()).issuer_name).toBe("root");
  });

  it("are available to only one of two first starts with different sealing keys; the other fails", async () => {
    const stores = memoryStore();
    const read = async (seed: number) => {
      const vault = sealedVault({ key: new Uint8Array(32).fill(seed), random: seeded(seed) });
      return new Mounts(
        { stores, now: () => 0, random: seeded(seed), vault, authenticate: async () => undefined },
        { types: Object.values(mountTypes), jobs },
      ).readMounts();
    };
    const results = await Promise.allSettled([read(1), read(2)]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "storage" },
    });
  });

  it("include only one pki after concurrent first starts over an empty store", async () => {
    const clock = clockAt();
    const stores = memoryStore();
    const [a, b] = [authority({ clock, stores }), authority({ clock, stores, seed: 2 })];
    await Promise.all([a.root(), b.root({ issuer_name: "two" })]);
    clock.advance(1);
    expect((await a.pki.listIssuers({})).keys).toHaveLength(2);
  });
});

describe("a deleted mount", () => {
  it("is gone with all its data, also for engines with a cache, and empty when created again", async () => {
    const clock = clockAt();
    const stores = memoryStore();
    const [a, b] = [authority({ clock, stores }), authority({ clock, stores, seed: 2 })];
    await create(a, "x");
    await a.ca.mount("x").generateRoot({ common_name: "X", key_type: "ec" });
    await a.ca.mount("x").writeRole({ name: "web", key_type: "ec", allow_any_name: true });
    const { uuid } = await infoOf(a, "x");
    const issue = () => b.call("POST", "x/issue/web", { common_name: "a.test" });
    expect((await issue()).status).toBe(200);
    expect((await b.call("GET", "x/roles/web")).status).toBe(200);
    expect((await a.call("DELETE", "sys/mounts/x")).status).toBe(204);
    expect(await issue()).toMatchObject({ status: 404 });
    for (const [method, path] of [
      ["POST", "x/roles/new"],
      ["POST", "x/config/urls"],
      ["POST", "x/root/generate/internal"],
      ["DELETE", "x/roles/web"],
    ] as const)
      expect((await b.call(method, path, method === "POST" ? {} : undefined)).status).toBe(404);
    expect((await stores(uuid).list("")).map(([key]) => key)).toEqual(["epoch"]);
    expect((await a.call("GET", "x/ca")).status).toBe(404);
    expect((await a.call("DELETE", "sys/mounts/x")).status).toBe(204);
    await create(a, "x");
    expect((await a.call("LIST", "x/issuers")).status).toBe(404);
    expect((await infoOf(a, "x")).uuid).not.toBe(uuid);
    clock.advance(1);
    expect((await b.call("GET", "x/roles/web")).status).toBe(404);
  });

  it("accepts no configuration change from engines with a stale cache", async () => {
    const clock = clockAt();
    const stores = memoryStore();
    const [a, b] = [authority({ clock, stores }), authority({ clock, stores, seed: 2 })];
    await create(a, "x");
    const { uuid } = await infoOf(a, "x");
    expect((await b.call("GET", "x/config/urls")).status).toBe(200);
    await a.sys.deleteMount({ path: "x" });
    expect((await b.call("POST", "x/roles/new", {})).status).toBe(404);
    expect((await stores(uuid).list("")).map(([key]) => key)).toEqual(["epoch"]);
  });

  it("leaves a new mount at its path intact if its deletion was delayed", async () => {
    const { stores, fault } = faultyStores();
    const clock = clockAt();
    const [a, b] = [authority({ clock, stores }), authority({ clock, stores, seed: 2 })];
    await create(a, "x");
    let release = () => {};
    const held = new Promise<void>((arrived) => {
      fault("sys", (verb, batch) => {
        if (verb !== "commit" || !batch?.del?.includes("mounts/x")) return undefined;
        fault("sys", undefined);
        arrived();
        return new Promise((resolve) => (release = resolve));
      });
    });
    const first = a.call("DELETE", "sys/mounts/x");
    await held;
    expect((await b.call("DELETE", "sys/mounts/x")).status).toBe(204);
    expect((await create(b, "x")).status).toBe(204);
    const { uuid } = await infoOf(b, "x");
    release();
    expect((await first).status).toBe(204);
    expect((await infoOf(a, "x")).uuid).toBe(uuid);
    expect(
      (await a.ca.mount("x").generateRoot({ common_name: "X", key_type: "ec" })).certificate,
    ).toContain("BEGIN CERTIFICATE");
  });

  it("frees its path even if another server rewrites its route meanwhile, as a growth does", async () => {
    const { stores, fault } = faultyStores();
    const a = authority({ stores });
    await create(a, "x");
    const { uuid } = await infoOf(a, "x");
    const sys = stores("sys");
    const rewrite = async () => {
      const [row] = await sys.get(["mounts/x"]);
      await sys.commit({ put: [["mounts/x", row?.value]] });
    };
    fault(
      uuid,
      beforeCommit(({ clear }) => clear, rewrite),
    );
    expect((await a.call("DELETE", "sys/mounts/x")).status).toBe(204);
    expect((await create(a, "x")).status).toBe(204);
  });

  it("frees the space of its store once no path leads to it, and not before", async () => {
    const { stores, fault } = faultyStores();
    const dropped: string[] = [];
    const dropping: Stores = (name) => ({
      ...stores(name),
      drop: async () => void dropped.push(name),
    });
    const a = authority({ stores: dropping });
    await create(a, "x");
    const { uuid } = await infoOf(a, "x");
    await a.ca.run("sys", "drop", uuid);
    expect(dropped).toEqual([]);
    fault("sys", (verb, batch) =>
      verb === "commit" && batch?.del?.includes("mounts/x")
        ? a.ca.tickStore("sys").then(unreachable)
        : undefined,
    );
    expect((await a.call("DELETE", "sys/mounts/x")).status).toBe(503);
    fault("sys", undefined);
    await a.ca.tickStore("sys");
    expect(dropped).toEqual([]);
    fault("sys", (verb, batch) =>
      verb === "commit" && batch?.del?.includes("mounts/x")
        ? a.ca.tickStore("sys").then(() => undefined)
        : undefined,
    );
    expect((await a.call("DELETE", "sys/mounts/x")).status).toBe(204);
    expect(dropped).toEqual([]);
    await a.ca.tickStore("sys");
    expect(dropped).toEqual([uuid]);
  });

  it("stays deleted if it was pki", async () => {
    const a = authority();
    await a.sys.deleteMount({ path: "pki" });
    expect((await a.call("GET", "pki/ca")).status).toBe(404);
    expect(
      (await authority({ stores: a.stores, clock: a.clock }).call("GET", "pki/ca")).status,
    ).toBe(404);
    expect((await create(a, "pki")).status).toBe(204);
  });
});

describe("tuning a mount", () => {
  it("updates the sent fields, shows effective lifetimes, and limits later certificates", async () => {
    const a = authority();
    await create(a, "x");
    expect((await a.call("GET", "sys/mounts/x/tune")).data).toMatchObject({
      default_lease_ttl: 2_764_800,
      max_lease_ttl: 2_764_800,
      force_no_cache: false,
      description: "",
    });
    const body = {
      default_lease_ttl: "1h",
      max_lease_ttl: "7200s",
      description: "d",
      listing_visibility: "hidden",
      passthrough_request_headers: "If-Modified-Since",
      allowed_response_headers: ["Last-Modified"],
      options: { o: "p" },
    };
    expect((await a.call("POST", "sys/mounts/x/tune", body)).status).toBe(204);
    expect(await a.sys.readTune({ path: "x" })).toEqual({
      description: "d",
      default_lease_ttl: 3600,
      max_lease_ttl: 7200,
      force_no_cache: false,
      listing_visibility: "hidden",
      passthrough_request_headers: ["If-Modified-Since"],
      allowed_response_headers: ["Last-Modified"],
      options: { o: "p" },
    });
    const other = a.ca.mount("x");
    expect(
      (await other.generateRoot({ common_name: "R", key_type: "ec", ttl: "3h" })).expiration,
    ).toBe(a.clock.now / 1000 + 7200);
    await a.sys.writeTune({
      path: "x",
      default_lease_ttl: "system",
      max_lease_ttl: "0",
      listing_visibility: "",
      allowed_response_headers: "",
    });
    expect(await a.sys.readTune({ path: "x" })).toEqual({
      description: "d",
      default_lease_ttl: 2_764_800,
      max_lease_ttl: 2_764_800,
      force_no_cache: false,
      passthrough_request_headers: ["If-Modified-Since"],
      options: { o: "p" },
    });
  });
  it.each([
    ["none", {}, 'cannot fetch sysview for path "none/"'],
    [
      "pki",
      { listing_visibility: "x" },
      "invalid listing_visibility x; use unauth, hidden or an empty string",
    ],
    [
      "pki",
      { default_lease_ttl: "2h", max_lease_ttl: "1h" },
      "given default lease TTL greater than given max lease TTL",
    ],
    [
      "pki",
      { max_lease_ttl: "x" },
      /^Field validation failed: error converting input for field "max_lease_ttl": /,
    ],
  ] as const)("at %s with %j is rejected", async (path, body, text) => {
    const a = authority();
    const answer = await a.call("POST", `sys/mounts/${path}/tune`, body);
    expect([answer.status, answer.errors]).toEqual([
      400,
      [typeof text === "string" ? text : expect.stringMatching(text)],
    ]);
    if (path === "none") expect(await refusal(a.sys.readTune({ path }))).toEqual([400, text]);
  });
  it("keeps both of two concurrent changes", async () => {
    const a = authority();
    await Promise.all([
      a.sys.writeTune({ path: "pki", description: "d" }),
      a.sys.writeTune({ path: "pki", default_lease_ttl: "1h" }),
    ]);
    expect(await a.sys.readTune({ path: "pki" })).toMatchObject({
      description: "d",
      default_lease_ttl: 3600,
    });
  });
});

describe("the public URL of the deployment", () => {
  it("is the base of the cluster path of new mounts", async () => {
    const a = authority({ publicUrl: "https://ca.test" });
    await create(a, "int/x");
    expect(await a.ca.mount("int/x").readCluster({})).toEqual({
      path: "https://ca.test/v1/int/x",
      aia_path: "https://ca.test/v1/int/x",
    });
    expect((await a.pki.readCluster({})).path).toBe("https://ca.test/v1/pki");
    expect((await authority().pki.readCluster({})).path).toBe("");
  });
});

describe("names", () => {
  it("have one spelling for policy and handler: encoded paths are decoded, and case distinguishes names", async () => {
    const judged: string[] = [];
    const a = authority({
      authenticate: async () => ({
        id: "t",
        can: (_, path) => (judged.push(path), !path.includes("secret")),
      }),
    });
    await a.root();
    await a.role("secret");
    for (const path of ["pki/issue/secret", "pki/issue/%73ecret", "pki/issue/secre%74"])
      expect((await a.call("POST", path, { common_name: "a.test" })).status).toBe(403);
    expect(new Set(judged)).toEqual(new Set(["pki/issue/secret"]));
    expect((await a.call("POST", "pki/issue/Secret", { common_name: "a.test" })).status).toBe(
      403 - 3,
    );
    for (const path of ["pki/issue/%20secret", "pki/issue/secret%20", "pki/issue/ſecret"])
      expect((await a.call("POST", path, { common_name: "a.test" })).status).toBeGreaterThanOrEqual(
        400,
      );
  });
});

describe("the system", () => {
  it("reports that it is healthy and not sealed, and returns its OpenAPI document", async () => {
    const a = authority();
    const health = await a.call("GET", "sys/health", undefined, { token: "" });
    expect([health.status, health.json]).toEqual([
      200,
      expect.objectContaining({
        initialized: true,
        sealed: false,
        server_time_utc: Math.floor(a.clock.now / 1000),
      }),
    ]);
    expect((await a.call("GET", "sys/seal-status", undefined, { token: "" })).json).toMatchObject({
      sealed: false,
      type: "shamir",
    });
    expect((await a.sys.health({})).initialized).toBe(true);
    expect((await a.sys.sealStatus({})).sealed).toBe(false);
    expect((await a.call("GET", "sys/internal/specs/openapi")).json).toMatchObject({
      openapi: "3.1.0",
    });
  });
});
