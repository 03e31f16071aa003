import { describe, expect, it } from "vitest";
import { hashOf } from "../../../src/auth/token/secret.ts";
import { tokenWorld } from "./world.ts";

describe("cubbyhole (readCubbyhole, writeCubbyhole, deleteCubbyhole, listCubbyhole)", () => {
  it("stores values that only the same token can read, list and delete", async () => {
    const { create, call, post } = tokenWorld();
    const [one, other] = [await create(), await create()];
    const mine = { token: one.client_token };
    expect((await post("cubbyhole/a/b", { password: "x7", n: 1 }, mine.token)).status).toBe(204);
    await post("cubbyhole/a/c", { k: 2 }, mine.token);
    await post("cubbyhole/top", { k: 3 }, mine.token);
    const read = await call("GET", "cubbyhole/a/b", undefined, mine);
    expect([read.data, read.json["mount_type"]]).toEqual([{ password: "x7", n: 1 }, "cubbyhole"]);
    const names = async (path: string) => (await call("LIST", path, undefined, mine)).data["keys"];
    expect([
      await names("cubbyhole"),
      await names("cubbyhole/"),
      await names("cubbyhole/a"),
    ]).toEqual([
      ["a/", "top"],
      ["a/", "top"],
      ["b", "c"],
    ]);
    for (const token of [other.client_token, "nobody"])
      expect([404, 403]).toContain(
        (await call("GET", "cubbyhole/a/b", undefined, { token })).status,
      );
    expect((await call("LIST", "cubbyhole", undefined, { token: other.client_token })).status).toBe(
      404,
    );
    await call("DELETE", "cubbyhole/a/b", undefined, mine);
    expect((await call("GET", "cubbyhole/a/b", undefined, mine)).status).toBe(404);
  });
  it("is stored encrypted, and deleted with its token", async () => {
    const { create, post, rows } = tokenWorld();
    const { client_token: token } = await create();
    await post("cubbyhole/a", { password: "s3cr3t-value" }, token);
    const held = (await rows()).filter(([key]) => key.startsWith("cubbyhole/"));
    expect(held.length).toBe(1);
    const texts = held.map(([, { value }]) =>
      value instanceof Uint8Array ? new TextDecoder("latin1").decode(value) : "",
    );
    expect(texts.join()).not.toContain("s3cr3t");
    await post("auth/token/revoke-self", {}, token);
    expect((await rows()).filter(([key]) => key.startsWith("cubbyhole/"))).toEqual([]);
  });
  it("of the deployment's root token is sealed by the vault, and its row does not reveal the token", async () => {
    const { post, call, rows, stores, clock } = tokenWorld({
      authenticate: async (token) =>
        token === "the-text" ? { id: "root", policies: ["root"], can: () => true } : undefined,
    });
    const sent = { n: 1, password: "s3cr3t" };
    expect((await post("cubbyhole/a/b", sent, "the-text")).status).toBe(204);
    const read = (token = "the-text") => call("GET", "cubbyhole/a/b", undefined, { token });
    expect((await read()).data).toEqual(sent);
    expect((await call("LIST", "cubbyhole/a", undefined, { token: "the-text" })).data).toEqual({
      keys: ["b"],
    });
    const held = (await rows()).filter(([key]) => key.startsWith("cubbyhole/"));
    expect(held).toHaveLength(1);
    for (const [key, { value }] of held) {
      expect(key).not.toContain(await hashOf("the-text"));
      expect(new TextDecoder("latin1").decode(value as Uint8Array)).not.toContain("s3cr3t");
    }
    // another identity of the deployment, and a token with the policy root, each have their own
    const other = tokenWorld({
      stores,
      clock,
      authenticate: async (token) =>
        token === "changed" || token === "second"
          ? { id: token === "changed" ? "root" : token, policies: ["root"], can: () => true }
          : undefined,
    });
    const elsewhere = (token: string) => other.call("GET", "cubbyhole/a/b", undefined, { token });
    expect((await elsewhere("second")).status).toBe(404);
    expect((await elsewhere("changed")).data).toEqual(sent);
    const { json } = await post("auth/token/create", { policies: ["root"] }, "the-text");
    expect((await read((json["auth"] as { client_token: string }).client_token)).status).toBe(404);
    expect((await call("DELETE", "cubbyhole/a/b", undefined, { token: "the-text" })).status).toBe(
      204,
    );
    expect((await read()).status).toBe(404);
  });
  it("is not available to batch tokens and to other callers that the deployment authenticates", async () => {
    const { create, post, call } = tokenWorld({
      authenticate: async (token) =>
        ["root", "ann"].includes(token)
          ? { id: token, policies: [token], can: () => true }
          : undefined,
    });
    await post("sys/policies/acl/hole", {
      policy: 'path "cubbyhole/*" { capabilities = ["read", "update"] }',
    });
    const batch = await create({ type: "batch", policies: ["hole"] });
    for (const token of [batch.client_token, "ann"]) {
      const answer = await call("GET", "cubbyhole/a", undefined, { token });
      expect([answer.status, answer.errors]).toEqual([
        400,
        ['cubbyhole operations are only supported by "service" type tokens'],
      ]);
    }
  });
  it("rejects values beyond its limits, and stores nothing", async () => {
    const { create, post, rows } = tokenWorld();
    const { client_token: token } = await create();
    const before = (await rows()).length;
    expect((await post("cubbyhole/a", {}, token)).errors).toEqual(["missing data fields"]);
    expect((await post("cubbyhole/a", { x: "y".repeat(600_000) }, token)).status).toBe(413);
    expect((await post(`cubbyhole/${"a".repeat(300)}`, { x: 1 }, token)).status).toBe(400);
    expect((await rows()).length).toBe(before);
  });
});
