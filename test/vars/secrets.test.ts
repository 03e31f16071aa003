import { varsApi } from "../../src/vars/index.ts";
import { describe, expect, it } from "vitest";
import { createCa, memoryStore, sealedVault, type Ca, type KeyVault } from "../../src/index.ts";
import {
  requestOf,
  service,
  varsDocument,
  withWorkspace,
  type Answer,
  type Json,
} from "./service.ts";

const canary = "canary-4f1c9b7e-secret";
const isClean = (text: string) => !text.includes("canary");

describe("a sensitive value", () => {
  it("security row 95: is in no response, error, log event or stored row", async () => {
    const { call, workspace, events, stores } = await withWorkspace();
    const answers: Answer[] = [];
    const ask = async (
      method: string,
      path: string,
      body?: unknown,
      sent?: Parameters<typeof call>[3],
    ) => {
      const answer = await call(method, path, body, sent);
      answers.push(answer);
      return answer;
    };
    const scoped = `/workspaces/${workspace}/vars`;
    const made = await ask(
      "POST",
      scoped,
      varsDocument({ key: "s", value: canary, category: "env", sensitive: true }),
    );
    const id = String(made.data["id"]);
    expect(made.data["attributes"]).toMatchObject({ value: null, sensitive: true });
    const plain = await call(
      "POST",
      scoped,
      varsDocument({ key: "p", value: canary, category: "env" }),
    );
    const hidden = await ask(
      "PATCH",
      `${scoped}/${String(plain.data["id"])}`,
      varsDocument({ sensitive: true }),
    );
    expect(hidden.data["attributes"]).toMatchObject({ value: null, sensitive: true });
    for (const path of [
      scoped,
      `${scoped}/${id}`,
      `/workspaces/${workspace}/all-vars`,
      "/vars",
      `/vars/${id}`,
      `${scoped}/export`,
      `${scoped}/export?format=json`,
      `/workspaces/${workspace}?include=vars`,
    ])
      expect((await ask("GET", path)).status, path).toBe(200);
    for (const attributes of [
      { value: `${canary}2` },
      { description: "d" },
      { value: canary, key: "q" },
      { value: canary, sensitive: false },
      { value: canary, hcl: true },
      { value: { canary } },
      { value: canary.repeat(20_000) },
      { value: null },
    ])
      await ask("PATCH", `${scoped}/${id}`, varsDocument(attributes));
    await ask(
      "POST",
      scoped,
      varsDocument({ key: "s", value: canary, category: "env", sensitive: true }),
    );
    await ask(
      "POST",
      scoped,
      varsDocument({ key: "t", value: canary, category: canary, sensitive: true }),
    );
    await ask("POST", `${scoped}/bulk`, {
      data: [
        varsDocument({ key: "s", value: canary, category: "env", sensitive: true }).data,
        varsDocument({ key: "", value: canary, category: "env" }).data,
      ],
    });
    await ask("POST", `${scoped}/bulk`, {
      data: [varsDocument({ key: "u", value: canary, category: "env", sensitive: true }).data],
    });
    await ask(
      "POST",
      scoped,
      `{"data":{"type":"vars","attributes":{"key":"x","value":"${canary}" canary`,
    );
    await ask("POST", scoped, `{"value":"${canary}"}`, {
      headers: { "content-type": "text/plain" },
    });
    await ask("POST", scoped, varsDocument({ key: "v", value: canary, category: "env" }), {
      token: canary,
    });
    await ask("DELETE", `${scoped}/${id}`);
    for (const { text, headers } of answers)
      expect(isClean(text + JSON.stringify([...headers])), text).toBe(true);
    expect(isClean(JSON.stringify(events))).toBe(true);
    const rows = await stores("vars").list("");
    expect(
      isClean(
        JSON.stringify(rows, (_, value: unknown) =>
          value instanceof Uint8Array ? new TextDecoder("latin1").decode(value) : value,
        ),
      ),
    ).toBe(true);
  });
  it("is kept if the description changes or null is sent, and replaced by a new value", async () => {
    const { call, workspace, system, write } = await withWorkspace();
    const { data } = await write({ key: "s", value: canary, sensitive: true });
    const id = String(data["id"]);
    const path = `/workspaces/${workspace}/vars/${id}`;
    const stored = async () => {
      const [row] = await system.storeContext("vars").store.get([`var/${id}`]);
      const value = (row?.value as { value: Uint8Array } | undefined)?.value ?? new Uint8Array();
      return new TextDecoder().decode(await system.ports.vault.unseal(value, `vars/${id}/value`));
    };
    await call("PATCH", path, varsDocument({ description: "changed" }));
    await call("PATCH", path, varsDocument({ value: null, description: "again" }));
    expect(await stored()).toBe(canary);
    await call("PATCH", path, varsDocument({ value: "rotated" }));
    expect(await stored()).toBe("rotated");
    await call("PATCH", path, varsDocument({ value: "" }));
    expect(await stored()).toBe("");
  });
  it("cannot be decrypted after it is moved to the row of another variable", async () => {
    const { system, write, call, workspace } = await withWorkspace();
    const [one, other] = [
      await write({ key: "a", value: canary, sensitive: true }),
      await write({ key: "b" }),
    ];
    const { store } = system.storeContext("vars");
    const [from, to] = await store.get([
      `var/${String(one.data["id"])}`,
      `var/${String(other.data["id"])}`,
    ]);
    const stolen = {
      ...(to?.value as object),
      value: (from?.value as { value: Uint8Array } | undefined)?.value,
      sensitive: false,
    };
    await store.commit({
      put: [[`var/${String(other.data["id"])}`, stolen, { issuer: workspace }]],
    });
    const answer = await call(
      "PATCH",
      `/vars/${String(other.data["id"])}`,
      varsDocument({ sensitive: true }, { id: String(other.data["id"]) }),
    );
    expect(answer.status).toBe(503);
    expect(isClean((await call("GET", "/vars")).text)).toBe(true);
  });
});

describe("the sealing key", () => {
  it("can be rotated; afterwards, the new key alone decrypts every value", async () => {
    const stores = memoryStore();
    const [old, fresh] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    const token = "the-token-of-a-rotation";
    const caOf = (vault: KeyVault) => createCa({ stores, vault, apis: [varsApi], vars: { token } });
    const ask = async (ca: Ca, method: string, path: string, body?: unknown) => {
      const answer = await ca.fetch(requestOf(method, path, body, { token }));
      const json: Json = answer.status === 204 ? {} : await answer.json();
      return { status: answer.status, json };
    };
    const before = caOf(sealedVault({ key: old }));
    const made = await ask(before, "POST", "/organizations/default/workspaces", {
      data: { type: "workspaces", attributes: { name: "w" } },
    });
    const path = `/workspaces/${String(made.json["data"]?.["id"])}/vars`;
    for (let i = 0; i < 3; i++)
      await ask(
        before,
        "POST",
        path,
        varsDocument({ key: `k${i}`, value: canary, category: "env", sensitive: i > 0 }),
      );
    const rotated = await caOf(sealedVault({ key: fresh, previous: old })).sys.rotateSeal();
    // two values, and the key for the serial numbers of the mount `pki`
    expect(rotated.resealed).toBe(3);
    const vault = sealedVault({ key: fresh });
    const rows = (await stores("vars").list("var/")).map(
      ([, row]) => row.value as { id: string; value: string | Uint8Array },
    );
    const opened = await Promise.all(
      rows.map(async ({ id, value }) =>
        typeof value === "string"
          ? value
          : new TextDecoder().decode(await vault.unseal(value, `vars/${id}/value`)),
      ),
    );
    expect(opened).toEqual([canary, canary, canary]);
    expect((await ask(caOf(vault), "GET", path)).json["data"]).toHaveLength(3);
  });
});

describe("a sensitive variable that is updated without a new value", () => {
  it("is sealed with the current key", async () => {
    const stores = memoryStore();
    const [old, fresh] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    const before = await withWorkspace({ stores, vault: sealedVault({ key: old }) });
    const { data } = await before.write({ key: "s", value: canary, sensitive: true });
    const id = String(data["id"]);
    const held = async () =>
      ((await stores("vars").get([`var/${id}`]))[0]?.value as { value: Uint8Array } | undefined)
        ?.value ?? new Uint8Array();
    const current = sealedVault({ key: fresh });
    await expect(current.unseal(await held(), `vars/${id}/value`)).rejects.toMatchObject({
      code: "storage",
    });
    const after = service({ stores, vault: sealedVault({ key: fresh, previous: old }) });
    const path = `/workspaces/${before.workspace}/vars/${id}`;
    expect((await after.call("PATCH", path, varsDocument({ description: "changed" }))).status).toBe(
      200,
    );
    expect(new TextDecoder().decode(await current.unseal(await held(), `vars/${id}/value`))).toBe(
      canary,
    );
  });
});

describe("a token of another organization", () => {
  it("security row 96: finds a variable at no path and with no method", async () => {
    const { call, workspace, write } = await withWorkspace();
    const { data } = await write({ key: "a", value: "v" });
    const id = String(data["id"]);
    await call("POST", "/organizations", {
      data: { type: "organizations", attributes: { name: "other", email: "o@example.com" } },
    });
    const theirs = await call("POST", "/organizations/other/workspaces", {
      data: { type: "workspaces", attributes: { name: "demo" } },
    });
    const token = String(
      (await call("POST", "/organizations/other/authentication-token", { data: {} })).data[
        "attributes"
      ]?.["token"],
    );
    const mine = String(theirs.data["id"]);
    for (const base of ["/vars", `/workspaces/${workspace}/vars`, `/workspaces/${mine}/vars`]) {
      expect((await call("GET", `${base}/${id}`, undefined, { token })).status).toBe(404);
      expect(
        (await call("PATCH", `${base}/${id}`, varsDocument({ value: "x" }, { id }), { token }))
          .status,
      ).toBe(404);
      expect((await call("DELETE", `${base}/${id}`, undefined, { token })).status).toBe(404);
    }
    for (const path of [
      `/workspaces/${workspace}`,
      `/workspaces/${workspace}/vars`,
      "/organizations/acme",
      "/organizations/acme/teams",
      "/vars?filter[organization][name]=acme&filter[workspace][name]=demo",
    ])
      expect((await call("GET", path, undefined, { token })).status, path).toBe(404);
    expect((await call("GET", `/workspaces/${mine}/vars/${id}`)).status).toBe(404);
    expect(
      (await call("GET", `/workspaces/${workspace}/vars/${id}`)).data["attributes"],
    ).toMatchObject({ value: "v" });
    expect((await call("GET", "/vars", undefined, { token })).json).toEqual({ data: [] });
  });
});

describe("tokens of the variables API", () => {
  it("are stored as hashes only, and returned once", async () => {
    const { call, stores } = await withWorkspace();
    const made = await call("POST", "/organizations/acme/authentication-token", {
      data: { type: "" },
    });
    const token = String(made.data["attributes"]?.["token"]);
    expect(token).toMatch(/^[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z]{67}$/);
    expect(
      (await call("GET", "/organizations/acme/authentication-token")).data["attributes"]?.["token"],
    ).toBeNull();
    expect(JSON.stringify(await stores("vars").list(""))).not.toContain(token);
    expect(JSON.stringify(await stores("vars").list(""))).not.toContain("first-token");
  });
  it("are rejected after they have expired or were deleted or replaced", async () => {
    const { call, clock } = await withWorkspace();
    const make = async (attributes: object) =>
      (await call("POST", "/organizations/acme/authentication-token", { data: { attributes } }))
        .data["attributes"];
    const ask = async (token: unknown) =>
      (await call("GET", "/organizations/acme", undefined, { token: String(token) })).status;
    const first = await make({ "expired-at": new Date(clock.now + 60_000).toISOString() });
    expect(await ask(first?.["token"])).toBe(200);
    clock.advance(60);
    expect(await ask(first?.["token"])).toBe(401);
    const second = await make({});
    expect(await ask(second?.["token"])).toBe(200);
    const third = await make({});
    expect([await ask(second?.["token"]), await ask(third?.["token"])]).toEqual([401, 200]);
    await call("DELETE", "/organizations/acme/authentication-token");
    expect(await ask(third?.["token"])).toBe(401);
    expect(
      (
        await call("POST", "/organizations/acme/authentication-token", {
          data: { attributes: { "expired-at": "2001-01-01T00:00:00Z" } },
        })
      ).status,
    ).toBe(422);
  });
});
