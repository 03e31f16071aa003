import { describe, expect, it } from "vitest";
import { mountKey } from "../../../src/engine/mount-records.ts";
import { type Batch, type Stores, memoryStore } from "../../../src/index.ts";
import {
  authority,
  start,
  type Authority,
  type AuthorityOptions,
} from "../../support/authority.ts";
import { beforeCommit, beforePut, faultyStores } from "../../support/faulty.ts";

async function prepared(options: AuthorityOptions = {}) {
  const a = authority(options);
  await a.root();
  await a.role("web", { generate_lease: true });
  return a;
}
const move = (a: Authority, from: string, to: string) =>
  a.call("POST", "sys/remount", { from, to });
const status = async (a: Authority, answer: Awaited<ReturnType<typeof move>>) =>
  (await a.call("GET", `sys/remount/status/${String(answer.data["migration_id"])}`)).data[
    "migration_info"
  ];
const issue = (a: Authority, mount: string) =>
  a.call("POST", `${mount}/issue/web`, { common_name: "a.test", ttl: "1h" });
const info = async (a: Authority, path: string) => (await a.call("GET", `sys/mounts/${path}`)).data;

describe("a mount that is moved", () => {
  it("is at its new path with all its rows, and no longer at the old one", async () => {
    const a = await prepared();
    const before = await info(a, "pki");
    const one = await issue(a, "pki");
    const answer = await move(a, "pki/", "/team/pki");
    expect(answer).toMatchObject({
      status: 200,
      json: { migration_id: expect.stringMatching(/^[\da-f-]{36}$/) as string, warnings: "" },
    });
    expect(await status(a, answer)).toEqual({
      source_mount: "pki/",
      target_mount: "team/pki/",
      status: "success",
    });
    expect(await info(a, "team/pki")).toEqual(before);
    expect((await issue(a, "pki")).status).toBe(404);
    const two = await issue(a, "team/pki");
    expect(two.json["lease_id"]).toMatch(/^team\/pki\/issue\/web\//);
    const serial = String(one.data["serial_number"]);
    expect((await a.call("GET", `team/pki/cert/${serial}`)).status).toBe(200);
    // leases move too, and get the new path
    const rest = String(one.json["lease_id"]).slice("pki/".length);
    expect((await a.call("POST", "sys/leases/lookup", { lease_id: `pki/${rest}` })).status).toBe(
      400,
    );
    expect(
      (await a.call("POST", "sys/leases/lookup", { lease_id: `team/pki/${rest}` })).status,
    ).toBe(200);
    expect(a.events.map(({ endpoint }) => endpoint)).toEqual(
      expect.arrayContaining(["remount", "readRemount"]),
    );
  });

  it("requires sudo, and a path that is not in use, nested or reserved", async () => {
    const a = await prepared();
    await a.call("POST", "sys/mounts/other/ca", { type: "pki" });
    expect(
      (await a.call("POST", "sys/remount", { from: "pki", to: "x" }, { token: "operator" })).status,
    ).toBe(403);
    for (const [from, to, text] of [
      ["none", "x", 'no matching mount at "none/"'],
      ["sys", "x", 'no matching mount at "sys/"'],
      ["pki", "other/ca", "path is already in use at other/ca/"],
      ["pki", "other", "path is already in use at other/ca/"],
      ["pki", "other/ca/below", "path is already in use at other/ca/"],
      ["pki", "sys/x", "path is already in use at sys/x/"],
      ["pki", "identity", "path is already in use at identity/"],
      ["pki", "pki", "from and to are the same path"],
      ["pki", "", 'invalid to ""'],
      ["", "x", 'invalid from ""'],
      ["pki", "a b", 'invalid to "a b"'],
      ["pki", "a/../b", 'invalid to "a/../b"'],
      ["pki", "..", 'invalid to ".."'],
      [
        "pki",
        "auth/pki",
        "a login method can only be moved to a path under auth/, and any other mount only to a path outside auth/",
      ],
      ["auth/token", "auth/x", 'cannot remount "auth/token/"'],
      ["auth/none", "auth/x", 'no matching mount at "auth/none/"'],
    ] as const) {
      const answer = await move(a, from, to);
      expect([from, to, answer.status, answer.errors]).toEqual([from, to, 400, [text]]);
    }
    expect(Object.keys((await a.call("GET", "sys/mounts")).data).slice(0, 2)).toEqual([
      "other/ca/",
      "pki/",
    ]);
    for (const id of ["none", "0".repeat(36)])
      expect((await a.call("GET", `sys/remount/status/${id}`)).status).toBe(404);
  });

  it("may move below its own path, and to the unused path of the first start", async () => {
    const a = authority();
    await a.call("POST", "sys/mounts/team", { type: "pki" });
    expect((await move(a, "team", "team/below")).status).toBe(200);
    expect((await move(a, "team/below", "pki")).status).toBe(200);
    expect(
      Object.keys((await a.call("GET", "sys/mounts")).data).filter((path) => /pki|team/.test(path)),
    ).toEqual(["pki/"]);
    // the path was deliberately vacated: no other mount is created there
    expect((await a.call("POST", "sys/mounts/pki", { type: "pki" })).status).toBe(400);
  });

  it("keeps its rate limits, and a warning names what still contains its old path", async () => {
    const a = await prepared({ publicUrl: "https://ca.example" });
    for (const [name, path] of [
      ["mount", "pki"],
      ["path", "pki/issue/*"],
      ["other", "auth/token"],
    ])
      await a.call("POST", `sys/quotas/rate-limit/${name ?? ""}`, { path, rate: 1000 });
    const { json } = await move(a, "pki", "ca");
    expect(json["warnings"]).toContain("the cluster path of the mount still contains pki/");
    const paths = await Promise.all(
      ["mount", "path", "other"].map(
        async (name) => (await a.call("GET", `sys/quotas/rate-limit/${name}`)).data["path"],
      ),
    );
    expect(paths).toEqual(["ca", "ca/issue/*", "auth/token"]);
  });

  it("is found by other isolates within a second, which continue to issue meanwhile", async () => {
    const a = await prepared();
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    expect((await issue(b, "pki")).status).toBe(200);
    await move(a, "pki", "ca");
    const late = await issue(b, "pki");
    expect(late.status).toBe(200);
    expect((await a.call("GET", `ca/cert/${String(late.data["serial_number"])}`)).status).toBe(200);
    expect(late.json["lease_id"]).toMatch(/^ca\/issue\/web\//);
    a.clock.advance(1);
    expect([(await issue(b, "pki")).status, (await issue(b, "ca")).status]).toEqual([404, 200]);
  });

  it("completes its move even if the host crashes, and the status is deleted a day later", async () => {
    const inner = memoryStore();
    let broken = false;
    const stores: Stores = (name) => {
      const store = inner(name);
      const commit = async (batch: Batch) => {
        if (broken && name !== "sys") throw new Error("the host ended");
        return store.commit(batch);
      };
      return {
        get: (keys) => store.get(keys),
        list: (prefix, page) => store.list(prefix, page),
        commit,
      };
    };
    const a = await prepared({ stores });
    broken = true;
    const answer = await move(a, "pki", "ca");
    expect(answer.status).toBe(200);
    expect(await status(a, answer)).toMatchObject({ status: "in-progress" });
    broken = false;
    a.clock.advance(700);
    const b = authority({ stores, clock: a.clock, seed: 2 });
    await b.ca.tick();
    expect(await status(b, answer)).toMatchObject({ status: "success" });
    expect((await issue(b, "ca")).json["lease_id"]).toMatch(/^ca\//);
    a.clock.now = start + 86_400_000 + 1000;
    await b.ca.tick();
    expect(
      (await b.call("GET", `sys/remount/status/${String(answer.data["migration_id"])}`)).status,
    ).toBe(404);
  });

  it("has its last path if another server moves it while the first move is stored", async () => {
    const { stores, fault } = faultyStores();
    const a = await prepared({ stores });
    const b = authority({ stores, clock: a.clock, seed: 2 });
    const { uuid } = await info(a, "pki");
    await issue(b, "pki");
    let second: Awaited<ReturnType<typeof move>> | undefined;
    const moveAgain = async () => {
      a.clock.advance(1);
      second = await move(b, "x", "y");
    };
    fault(String(uuid), beforePut(new RegExp(`^${mountKey}$`), moveAgain));
    await move(a, "pki", "x");
    expect(second?.status).toBe(200);
    a.clock.advance(60);
    for (const engine of [a, b]) await engine.ca.tick();
    expect((await info(a, "y")).uuid).toBe(uuid);
    const [row] = await stores(String(uuid)).get([mountKey]);
    expect(row?.value).toMatchObject({ path: "y" });
  });

  it("keeps no rate limit that another server deletes during the move", async () => {
    const { stores, fault } = faultyStores();
    const [a, b] = [await prepared({ stores }), authority({ stores, seed: 2 })];
    await a.call("POST", "sys/quotas/rate-limit/q", { path: "pki", rate: 1000 });
    fault(
      "sys",
      beforePut(/^ratelimit\//, () => b.call("DELETE", "sys/quotas/rate-limit/q")),
    );
    expect((await move(a, "pki", "ca")).status).toBe(200);
    expect((await a.call("GET", "sys/quotas/rate-limit/q")).status).toBe(404);
  });

  it("does not move while another server deletes it", async () => {
    const { stores, fault } = faultyStores();
    const [a, b] = [await prepared({ stores }), authority({ stores, seed: 2 })];
    const { uuid } = await info(a, "pki");
    let moved: Awaited<ReturnType<typeof move>> | undefined;
    const moveNow = async () => (moved = await move(b, "pki", "ca"));
    fault(
      String(uuid),
      beforeCommit(({ clear }) => clear, moveNow),
    );
    expect((await a.call("DELETE", "sys/mounts/pki")).status).toBe(204);
    expect(moved?.errors).toEqual(['"pki/" is being deleted; if that failed, delete it again']);
    for (const path of ["ca", "pki"])
      expect((await a.call("POST", `sys/mounts/${path}`, { type: "pki" })).status).toBe(204);
  });

  it("is at exactly one path after concurrent moves", async () => {
    const a = await prepared();
    const answers = await Promise.all([
      move(a, "pki", "x"),
      move(a, "pki", "y"),
      move(a, "pki", "z"),
    ]);
    expect(answers.map(({ status: code }) => code).toSorted()).toEqual([200, 400, 400]);
    const paths = Object.keys((await a.call("GET", "sys/mounts")).data);
    expect(paths.filter((path) => /^[xyz]\/$/.test(path)).length).toBe(1);
  });
});

describe("a login method that is moved", () => {
  it("responds at its new path with its rows", async () => {
    const a = authority();
    await a.call("POST", "sys/auth/approle", { type: "approle" });
    const before = (await a.call("GET", "sys/auth/approle")).data;
    await a.call("POST", "auth/approle/role/r", {});
    const answer = await move(a, "auth/approle", "auth/machines/");
    expect([answer.status, await status(a, answer)]).toEqual([
      200,
      { source_mount: "auth/approle/", target_mount: "auth/machines/", status: "success" },
    ]);
    expect((await a.call("GET", "sys/auth/machines")).data).toEqual(before);
    expect((await a.call("GET", "auth/machines/role/r")).status).toBe(200);
    expect((await a.call("GET", "auth/approle/role/r")).status).toBe(404);
    await a.call("POST", "sys/auth/other", { type: "approle" });
    for (const to of ["auth/other", "auth/other/x", "auth/token"])
      expect((await move(a, "auth/machines", to)).status).toBe(400);
  });

  it("keeps the settings that another server writes during the move", async () => {
    const { stores, fault } = faultyStores();
    const [a, b] = [authority({ stores }), authority({ stores, seed: 2 })];
    await a.call("POST", "sys/auth/approle", { type: "approle" });
    const tune = () => b.call("POST", "sys/auth/approle/tune", { max_lease_ttl: "1h" });
    fault("sys", beforePut(/^remount\//, tune));
    expect((await move(a, "auth/approle", "auth/machines")).status).toBe(200);
    const { data } = await a.call("GET", "sys/auth/machines/tune");
    expect(data["max_lease_ttl"]).toBe(3600);
  });
});
