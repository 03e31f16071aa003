import { describe, expect, it } from "vitest";
import { hashedName, loginKeys } from "../../../src/auth/rows/logins.ts";
import { authority, type Authority } from "../../support/authority.ts";
import { beforePut, faultyStores } from "../../support/faulty.ts";

async function prepared() {
  const a = authority();
  await a.call("POST", "sys/auth/userpass", { type: "userpass" });
  await a.call("POST", "auth/userpass/users/bob", { password: "x" });
  const { data } = await a.call("GET", "sys/auth/userpass");
  return { ...a, accessor: data["accessor"] as string };
}
const enter = async (a: Pick<Authority, "call">, name = "bob") => {
  const answer = await a.call(
    "POST",
    `auth/userpass/login/${name}`,
    { password: "x" },
    { token: "" },
  );
  return {
    status: answer.status,
    ...(answer.json["auth"] as { client_token: string; entity_id: string; policies: string[] }),
  };
};
const self = async (a: Pick<Authority, "call">, token: string) =>
  (await a.call("GET", "auth/token/lookup-self", undefined, { token })).status;

describe("entities", () => {
  it("(readEntity, listEntities, listEntityNames, lookupEntity) are created by a first login, and found by ID, name and alias", async () => {
    const a = await prepared();
    const { entity_id: id } = await enter(a);
    const { data } = await a.call("GET", `identity/entity/id/${id}`);
    expect(data).toMatchObject({
      id,
      name: expect.stringMatching(/^entity_[0-9a-f]{8}$/),
      policies: [],
      disabled: false,
      aliases: [
        {
          canonical_id: id,
          name: "bob",
          mount_accessor: a.accessor,
          mount_path: "auth/userpass/",
          mount_type: "userpass",
        },
      ],
      creation_time: "2030-01-02T03:04:05Z",
    });
    const name = data["name"] as string;
    expect((await a.call("GET", `identity/entity/name/${name}`)).data).toEqual(data);
    const [alias] = data["aliases"] as readonly { id: string }[];
    for (const wanted of [
      { id },
      { name },
      { alias_id: alias?.id },
      { alias_name: "bob", alias_mount_accessor: a.accessor },
    ])
      expect((await a.call("POST", "identity/lookup/entity", wanted)).data).toEqual(data);
    expect((await a.call("POST", "identity/lookup/entity", { name: "none" })).status).toBe(204);
    expect((await a.call("LIST", "identity/entity/id")).data).toEqual({
      keys: [id],
      key_info: {
        [id]: {
          name,
          aliases: [
            {
              id: alias?.id,
              name: "bob",
              mount_accessor: a.accessor,
              mount_path: "auth/userpass/",
              mount_type: "userpass",
            },
          ],
        },
      },
    });
    expect((await a.call("LIST", "identity/entity/name")).data).toEqual({ keys: [name] });
  });

  it("(writeEntity, writeEntityById, writeEntityByName, deleteEntity) are created, renamed, updated field by field and deleted", async () => {
    const a = await prepared();
    const body = { name: "Ops ä", metadata: { team: "one", n: 1 }, policies: "B,a" };
    const { data } = await a.call("POST", "identity/entity", body);
    const id = data["id"] as string;
    expect(data).toEqual({ id: expect.any(String), name: "Ops ä" });
    await a.call("POST", `identity/entity/id/${id}`, { name: "ops" });
    await a.call("POST", "identity/entity/name/Ops", { disabled: true, id: "other" });
    expect((await a.call("GET", `identity/entity/id/${id}`)).data).toMatchObject({
      name: "ops",
      metadata: { team: "one", n: "1" },
      policies: ["a", "b"],
      disabled: true,
    });
    for (const [path, given, text] of [
      ["entity", { policies: "root" }, "entities and groups cannot have the policy root"],
      ["entity", { name: "a/b" }, "invalid name: use 1 to 256 characters without slashes"],
      ["entity/id/none", {}, "no entity has this id"],
      ["entity", { id: "é" }, "no entity has this id"],
    ] as const)
      expect([path, (await a.call("POST", `identity/${path}`, given)).errors]).toEqual([
        path,
        [text],
      ]);
    await a.call("POST", "identity/entity/name/second", {});
    const taken = await a.call("POST", `identity/entity/id/${id}`, { name: "second" });
    expect(taken.errors).toEqual(["entity name is already in use"]);
    for (const path of ["name/OPS", "name/second"])
      expect((await a.call("DELETE", `identity/entity/${path}`)).status).toBe(204);
    expect((await a.call("DELETE", "identity/entity/name/ops")).status).toBe(204);
    expect((await a.call("LIST", "identity/entity/id")).status).toBe(404);
    const rows = (await a.stores("sys").list("entity")).map(([key]) => key);
    expect(rows).toEqual([]);
  });

  it.each(["entity", "group"])(
    "and groups (%s) return 204 without a body for a change, and have case-insensitive names",
    async (what) => {
      const a = await prepared();
      const write = (path: string, body: object) => a.call("POST", `identity/${what}${path}`, body);
      const made = await write("", { name: "Dup" });
      const id = String(made.data["id"]);
      expect([made.status, made.data]).toEqual([200, { id, name: "Dup" }]);
      for (const [path, body] of [
        ["", { name: "Dup", metadata: { n: "1" } }],
        ["", { name: "dUP", metadata: { n: "2" } }],
        ["/name/DUP", { metadata: { n: "3" } }],
        [`/id/${id}`, { metadata: { n: "4" } }],
        ["", { id, metadata: { n: "5" } }],
      ] as const) {
        const { status, json } = await write(path, body);
        expect([path, status, json]).toEqual([path, 204, {}]);
      }
      const read = async (path: string) => (await a.call("GET", `identity/${what}/${path}`)).data;
      const data = await read(`id/${id}`);
      expect(data).toMatchObject({ id, name: "Dup", metadata: { n: "5" } });
      for (const name of ["Dup", "dup", "DUP"]) {
        expect(await read(`name/${name}`)).toEqual(data);
        expect((await a.call("POST", `identity/lookup/${what}`, { name })).data).toEqual(data);
      }
      expect((await a.call("LIST", `identity/${what}/name`)).data["keys"]).toEqual(["Dup"]);
      const other = await write("/name/other", {});
      const taken = await write(`/id/${String(other.data["id"])}`, { name: "dup" });
      expect(taken.errors).toEqual([`${what} name is already in use`]);
      // renaming it to its own name in another case is allowed
      expect((await write(`/id/${id}`, { name: "DuP" })).status).toBe(204);
      expect((await read("name/dup"))["name"]).toBe("DuP");
      await a.call("DELETE", `identity/${what}/name/dUp`);
      expect((await a.call("GET", `identity/${what}/name/DuP`)).status).toBe(404);
      expect((await write("", { name: "dup" })).status).toBe(200);
    },
  );

  it("whose names differ only in case, as earlier versions stored them, are read, renamed and deleted separately", async () => {
    const a = await prepared();
    const sys = a.stores("sys");
    const older = async (id: string, name: string) =>
      sys.commit({
        put: [
          [loginKeys.entity(id), { name, created: 1, updated: 1 }],
          [loginKeys.entityName(await hashedName(name)), { id }],
        ],
      });
    await older("upper", "Dup");
    await older("lower", "dup");
    const idOf = async (name: string) =>
      (await a.call("GET", `identity/entity/name/${name}`)).data["id"];
    expect([await idOf("Dup"), await idOf("dup"), await idOf("DUP")]).toEqual([
      "upper",
      "lower",
      "lower",
    ]);
    await a.call("POST", "identity/entity/id/upper", { name: "up" });
    expect([await idOf("Dup"), await idOf("up")]).toEqual(["lower", "upper"]);
    await older("third", "Third");
    const taken = await a.call("POST", "identity/entity/id/upper", { name: "Third" });
    expect(taken.errors).toEqual(["entity name is already in use"]);
    await a.call("DELETE", "identity/entity/name/Third");
    await older("upper2", "DUP");
    await a.call("DELETE", "identity/entity/id/upper2");
    expect([await idOf("Third"), await idOf("DUP"), await idOf("dup")]).toEqual([
      undefined,
      "lower",
      "lower",
    ]);
  });

  it("and groups never grant the policy root, even if their stored rows contain it", async () => {
    const a = await prepared();
    const { entity_id: id } = await enter(a);
    await a.call("POST", "identity/group/name/g", { member_entity_ids: [id], policies: "g" });
    const group = (await a.call("GET", "identity/group/name/g")).data["id"] as string;
    const sys = a.stores("sys");
    for (const key of [loginKeys.entity(id), loginKeys.group(group)]) {
      const [row] = await sys.get([key]);
      const value = { ...(row?.value as object), policies: ["root", "web"] };
      await sys.commit({ put: [[key, value]] });
    }
    a.clock.advance(2);
    const { client_token: token, policies } = await enter(a);
    expect(policies).toEqual(["default", "web"]);
    const answer = await a.call("GET", "sys/policies/acl/root", undefined, { token });
    expect(answer.status).toBe(403);
  });

  it("and groups are authorized by their name in lower case, even if a policy spells it otherwise", async () => {
    const a = await prepared();
    for (const name of ["Admins", "others"])
      await a.call("POST", `identity/group/name/${name}`, {});
    await a.call("PUT", "sys/policies/acl/p", {
      policy: `path "identity/group/name/*" { capabilities = ["read", "update"] }
        path "identity/group/name/Admins" { capabilities = ["deny"] }`,
    });
    const { json } = await a.call("POST", "auth/token/create", { policies: ["p"] });
    const { client_token: token } = json["auth"] as { client_token: string };
    const statuses = (names: readonly string[]) =>
      Promise.all(
        names.map(
          async (name) =>
            (await a.call("GET", `identity/group/name/${name}`, undefined, { token })).status,
        ),
      );
    expect(await statuses(["Admins", "admins", "ADMINS", "%41dmins", "Others"])).toEqual([
      403, 403, 403, 403, 200,
    ]);
    const asked = { paths: ["identity/group/name/ADMINS", "identity/group/name/Others"] };
    const { data } = await a.call("POST", "sys/capabilities-self", asked, { token });
    expect(data).toMatchObject({
      "identity/group/name/ADMINS": ["deny"],
      "identity/group/name/Others": ["read", "update"],
    });
    // the policy `default` lets every caller read its own entity
    const { entity_id: id, client_token: own } = await enter(a);
    await a.call("POST", `identity/entity/id/${id}`, { name: "Bob B" });
    const self = await a.call("GET", "identity/entity/name/Bob%20B", undefined, { token: own });
    expect([self.status, self.data["id"]]).toEqual([200, id]);
  });

  it("lose their tokens when disabled or deleted, at once here and within a second on other engines; disabled ones cannot log in", async () => {
    const a = await prepared();
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    const { entity_id: id, client_token: token } = await enter(a);
    expect([await self(a, token), await self(b, token)]).toEqual([200, 200]);
    await a.call("POST", `identity/entity/id/${id}`, { disabled: true });
    expect(await self(a, token)).toBe(403);
    expect((await enter(b)).status).toBe(403);
    a.clock.advance(1);
    expect(await self(b, token)).toBe(403);
    await a.call("POST", `identity/entity/id/${id}`, { disabled: false });
    expect(await self(a, token)).toBe(200);
    await a.call("DELETE", `identity/entity/id/${id}`);
    expect(await self(a, token)).toBe(403);
    const next = await enter(a);
    expect([next.status, next.entity_id === id]).toEqual([200, false]);
  });

  it("are created only once by concurrent first logins", async () => {
    const a = await prepared();
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    const logins = await Promise.all([a, b, a, b].map((of) => enter(of)));
    expect(new Set(logins.map(({ entity_id }) => entity_id)).size).toBe(1);
    expect((await a.stores("sys").list("entity/")).length).toBe(1);
  });
});

describe("aliases", () => {
  it("(writeEntityAlias, readEntityAlias, changeEntityAlias, deleteEntityAlias, listEntityAliases) map a name at a login method to an entity", async () => {
    const a = await prepared();
    const made = await a.call("POST", "identity/entity", { name: "robert", policies: "people" });
    const canonical_id = made.data["id"] as string;
    const body = { name: "bob", mount_accessor: a.accessor, canonical_id };
    const { data } = await a.call("POST", "identity/entity-alias", body);
    const id = data["id"] as string;
    expect(data).toEqual({ id: expect.any(String), canonical_id });
    const login = await enter(a);
    expect([login.entity_id, login.policies]).toEqual([canonical_id, ["default", "people"]]);
    const at = `identity/entity-alias/id/${id}`;
    expect((await a.call("POST", at, { custom_metadata: { k: "v" } })).status).toBe(200);
    expect((await a.call("GET", at)).data).toMatchObject({
      name: "bob",
      custom_metadata: { k: "v" },
    });
    expect((await a.call("LIST", "identity/entity-alias/id")).data).toEqual({
      keys: [id],
      key_info: {
        [id]: {
          name: "bob",
          canonical_id,
          mount_accessor: a.accessor,
          mount_path: "auth/userpass/",
          mount_type: "userpass",
          custom_metadata: { k: "v" },
          local: false,
        },
      },
    });
    const other = await a.call("POST", "identity/entity", { name: "other" });
    // the current values may be sent again; others are rejected instead of silently ignored
    expect((await a.call("POST", at, body)).status).toBe(200);
    for (const [given, text] of [
      [{ mount_accessor: "none" }, "invalid mount accessor"],
      [{ canonical_id: "none" }, "no entity has this canonical_id"],
      [{ name: "a/b" }, "invalid name: use 1 to 256 characters without slashes"],
    ] as const)
      expect((await a.call("POST", at, given)).errors).toEqual([text]);
    expect((await a.call("POST", "identity/entity-alias/id/none", {})).errors).toEqual([
      "no alias has this id",
    ]);
    for (const [given, text] of [
      [{ ...body, mount_accessor: "none" }, "invalid mount accessor"],
      [{ ...body, canonical_id: "none" }, "no entity has this canonical_id"],
      [{ ...body, name: "bobby" }, "the entity already has an alias at this login method"],
      [
        { ...body, canonical_id: other.data["id"] },
        "this name is an alias of another entity: delete that alias first",
      ],
    ] as const)
      expect((await a.call("POST", "identity/entity-alias", given)).errors).toEqual([text]);
    expect((await a.call("DELETE", at)).status).toBe(204);
    expect((await a.call("GET", at)).status).toBe(404);
    expect((await enter(a)).entity_id).not.toBe(canonical_id);
  });
});

describe("an alias", () => {
  /** Creates two entities, the first with the alias `bob` and as a member of an external group. */
  async function world() {
    const a = await prepared();
    await a.call("POST", "sys/auth/other", { type: "userpass" });
    const other = (await a.call("GET", "sys/auth/other")).data["accessor"] as string;
    const make = async (name: string) =>
      (await a.call("POST", "identity/entity", { name, policies: name })).data["id"] as string;
    const [first, second] = [await make("first"), await make("second")];
    const alias = async (body: object) => a.call("POST", "identity/entity-alias", body);
    const bob = { name: "bob", mount_accessor: a.accessor };
    const id = (await alias({ ...bob, canonical_id: first })).data["id"] as string;
    const group = (await a.call("POST", "identity/group", { name: "g", type: "external" })).data[
      "id"
    ] as string;
    const sys = a.stores("sys");
    // as a login stores it whose claims name the group
    await sys.commit({ put: [[loginKeys.member(first, group), { accessor: a.accessor }]] });
    const groupsOf = async (entity: string) =>
      (await a.call("GET", `identity/entity/id/${entity}`)).data["group_ids"];
    const change = (body: object, of = id) =>
      a.call("POST", `identity/entity-alias/id/${of}`, body);
    return { ...a, other, first, second, alias, bob, id, group, groupsOf, change };
  }

  it("is identified by its path or by the ID in the body (writeEntityAlias, writeGroupAlias)", async () => {
    const a = await world();
    const changed = await a.alias({ id: a.id, name: "robert", mount_accessor: a.accessor });
    expect(changed.data).toEqual({ id: a.id, canonical_id: a.first });
    expect((await a.call("GET", `identity/entity-alias/id/${a.id}`)).data["name"]).toBe("robert");
    expect((await a.call("LIST", "identity/entity-alias/id")).data["keys"]).toEqual([a.id]);
    const write = (body: object) => a.call("POST", "identity/group-alias", body);
    const body = { name: "admins", mount_accessor: a.accessor };
    const { id, canonical_id } = (await write({ ...body, canonical_id: a.group })).data;
    expect((await write({ ...body, id })).data).toEqual({ id, canonical_id });
    expect((await write({ ...body, id, name: "ops" })).data).toEqual({ id, canonical_id });
    expect((await a.call("GET", `identity/group-alias/id/${String(id)}`)).data["name"]).toBe("ops");
    for (const answer of [await a.alias({ ...a.bob, id: "none" }), await write({ id: "none" })])
      expect([answer.status, answer.errors]).toEqual([400, ["no alias has this id"]]);
  });
  it("can move to another entity for new logins; existing tokens keep their entity, which leaves the groups of the method", async () => {
    const a = await world();
    const before = await enter(a);
    await a.stores("sys").commit({
      put: [[loginKeys.member(a.first, a.group), { accessor: a.accessor }]],
    });
    expect(await a.groupsOf(a.first)).toEqual([a.group]);
    const moved = await a.change({ canonical_id: a.second, custom_metadata: { k: "v" } });
    expect([moved.status, moved.data]).toEqual([200, { id: a.id, canonical_id: a.second }]);
    const after = await enter(a);
    expect([before.entity_id, after.entity_id]).toEqual([a.first, a.second]);
    expect(after.policies).toEqual(["default", "second"]);
    const { data } = await a.call("GET", "auth/token/lookup-self", undefined, {
      token: before.client_token,
    });
    expect(data["entity_id"]).toBe(a.first);
    expect(await a.groupsOf(a.first)).toEqual([]);
    const shown = await a.call("GET", `identity/entity-alias/id/${a.id}`);
    expect(shown.data).toMatchObject({
      canonical_id: a.second,
      name: "bob",
      custom_metadata: { k: "v" },
      local: false,
      merged_from_canonical_ids: null,
      namespace_id: "root",
    });
    const entity = (await a.call("GET", `identity/entity/id/${a.first}`)).data;
    expect(entity).toMatchObject({ aliases: [], merged_entity_ids: null, namespace_id: "root" });
  });

  it("can get another name or login method; logins with the old one no longer reach its entity", async () => {
    const a = await world();
    expect((await a.change({ name: "robert", canonical_id: "" })).status).toBe(200);
    expect(await a.groupsOf(a.first)).toEqual([]);
    expect((await enter(a)).entity_id).not.toBe(a.first);
    await a.call("POST", "auth/userpass/users/robert", { password: "x" });
    expect((await enter(a, "robert")).entity_id).toBe(a.first);
    const both = await a.change({ name: "bob", mount_accessor: a.other });
    expect(both.status).toBe(200);
    expect((await enter(a, "robert")).entity_id).not.toBe(a.first);
    const found = { alias_name: "bob", alias_mount_accessor: a.other };
    expect((await a.call("POST", "identity/lookup/entity", found)).data["id"]).toBe(a.first);
  });

  it("cannot change to a name in use or to a method at which the entity has an alias, and stays unchanged", async () => {
    const a = await world();
    const ann = { name: "ann", mount_accessor: a.accessor, canonical_id: a.second };
    await a.alias(ann);
    await a.alias({ name: "x", mount_accessor: a.other, canonical_id: a.first });
    const before = (await a.call("GET", `identity/entity-alias/id/${a.id}`)).data;
    for (const [body, text] of [
      [{ name: "ann" }, "this name is an alias of another entity: delete that alias first"],
      [{ canonical_id: a.second }, "the entity already has an alias at this login method"],
      [{ mount_accessor: a.other }, "the entity already has an alias at this login method"],
    ] as const) {
      const { status, errors } = await a.change(body);
      expect([body, status, errors]).toEqual([body, 400, [text]]);
    }
    expect((await a.call("GET", `identity/entity-alias/id/${a.id}`)).data).toEqual(before);
    expect(await a.groupsOf(a.first)).toEqual([a.group]);
  });

  it("has exactly one entity after concurrent logins and moves", async () => {
    const a = await world();
    const answers = await Promise.all([
      a.change({ canonical_id: a.second }),
      enter(a),
      a.change({ canonical_id: a.first }),
      a.change({ canonical_id: a.second, name: "robert" }),
      enter(a),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const { data } = await a.call("GET", `identity/entity-alias/id/${a.id}`);
    const rows = await a.stores("sys").list("alias/");
    const leading = rows.filter(([, { value }]) =>
      [a.first, a.second].includes((value as { entity: string }).entity),
    );
    expect(leading.map(([, { value }]) => value)).toEqual([{ entity: data["canonical_id"] }]);
  });

  it.each([{}, { canonical_id: "" }])(
    "without an entity (%o) creates one, but only once",
    async (sent) => {
      const a = await world();
      const body = {
        name: "ann",
        mount_accessor: a.accessor,
        custom_metadata: { k: "v" },
        ...sent,
      };
      const { status, data } = await a.alias(body);
      expect(status).toBe(200);
      await a.call("POST", "auth/userpass/users/ann", { password: "x" });
      expect((await enter(a, "ann")).entity_id).toBe(data["canonical_id"]);
      expect((await a.alias(body)).data).toEqual(data);
      expect((await a.alias({ mount_accessor: a.accessor })).errors).toEqual([
        "missing alias name",
      ]);
      expect((await a.alias({ name: "y" })).errors).toEqual(["invalid mount accessor"]);
    },
  );

  it("removes its entity from the groups of the method when it is deleted", async () => {
    const a = await world();
    await a.call("DELETE", `identity/entity-alias/id/${a.id}`);
    expect(await a.groupsOf(a.first)).toEqual([]);
  });

  it("(changeGroupAlias) of a group can get another name or group; without a group it creates an external one", async () => {
    const a = await world();
    const write = (path: string, body: object) => a.call("POST", `identity/${path}`, body);
    const made = await write("group-alias", { name: "admins", mount_accessor: a.accessor });
    const [id, own] = [String(made.data["id"]), String(made.data["canonical_id"])];
    const at = `group-alias/id/${id}`;
    const read = async (group: string) => (await a.call("GET", `identity/group/id/${group}`)).data;
    expect(await read(own)).toMatchObject({
      name: expect.stringMatching(/^group_[0-9a-f]{8}$/),
      type: "external",
      modify_index: 1,
      namespace_id: "root",
      alias: { id, name: "admins" },
    });
    await write("group-alias", { name: "g", mount_accessor: a.accessor, canonical_id: a.group });
    await write("group/name/int", {});
    const int = (await a.call("GET", "identity/group/name/int")).data["id"];
    for (const [body, text] of [
      [{ name: "g" }, "this name is an alias of a group: delete that alias first"],
      [{ mount_accessor: "none" }, "invalid mount accessor"],
      [{ canonical_id: "none" }, "no group has this canonical_id"],
      [{ canonical_id: int }, "only external groups can have an alias"],
    ] as const)
      expect([body, (await write(at, body)).errors]).toEqual([body, [text]]);
    expect((await write("group-alias/id/none", {})).errors).toEqual(["no alias has this id"]);
    expect((await write(at, { name: "ops", mount_accessor: a.other })).status).toBe(200);
    expect((await read(own))["alias"]).toMatchObject({ id, name: "ops", mount_accessor: a.other });
    const moved = await write(at, { canonical_id: a.group });
    expect(moved.data).toEqual({ id, canonical_id: a.group });
    expect((await read(own))["alias"]).toEqual({});
    expect((await read(a.group))["alias"]).toMatchObject({ id, name: "ops" });
    const rows = await a.stores("sys").list("groupalias/");
    expect(rows.map(([, { value }]) => value)).toEqual([{ id: a.group }]);
    await write(`group/id/${a.group}`, { metadata: { k: "v" } });
    expect((await read(a.group))["modify_index"]).toBe(2);
  });
});

describe("groups", () => {
  it("return the IDs of their members sorted, regardless of the order in which they were sent", async () => {
    const { call } = await prepared();
    const made = async (path: string): Promise<string> =>
      String((await call("POST", path, {})).data["id"]);
    const entities = [await made("identity/entity"), await made("identity/entity")].toSorted();
    const groups = [await made("identity/group"), await made("identity/group")].toSorted();
    for (const order of [(ids: string[]) => ids, (ids: string[]) => ids.toReversed()]) {
      const members = { member_entity_ids: order(entities), member_group_ids: order(groups) };
      await call("POST", "identity/group/name/g", members);
      expect((await call("GET", "identity/group/name/g")).data).toMatchObject({
        member_entity_ids: entities,
        member_group_ids: groups,
      });
    }
  });
  it("(writeGroup, writeGroupByName, readGroup, lookupGroup, listGroups, listGroupNames, deleteGroup) grant their policies to members, also through nested groups", async () => {
    const a = await prepared();
    const { entity_id: entity, client_token: token } = await enter(a);
    const inner = await a.call("POST", "identity/group/name/inner", {
      member_entity_ids: [entity],
      policies: "in",
    });
    const outer = await a.call("POST", "identity/group", {
      name: "outer",
      member_group_ids: [inner.data["id"]],
      policies: "out",
    });
    expect((await enter(a)).policies).toEqual(["default", "in", "out"]);
    expect(await self(a, token)).toBe(200);
    expect((await a.call("GET", `identity/entity/id/${entity}`)).data).toMatchObject({
      direct_group_ids: [inner.data["id"]],
      inherited_group_ids: [outer.data["id"]],
    });
    const at = `identity/group/id/${String(inner.data["id"])}`;
    const { data } = await a.call("GET", at);
    expect(data).toMatchObject({
      name: "inner",
      type: "internal",
      member_entity_ids: [entity],
      parent_group_ids: [outer.data["id"]],
      alias: {},
    });
    expect((await a.call("POST", "identity/lookup/group", { name: "inner" })).data).toEqual(data);
    expect((await a.call("LIST", "identity/group/name")).data).toEqual({
      keys: ["inner", "outer"],
    });
    expect((await a.call("LIST", "identity/group/id")).data["keys"]).toHaveLength(2);
    for (const [path, given, text] of [
      [at, { member_group_ids: [outer.data["id"]] }, "a group cannot be a member of itself"],
      [at, { member_group_ids: [inner.data["id"]] }, "a group cannot be a member of itself"],
      [at, { member_entity_ids: ["none"] }, "a member of the group does not exist"],
      [at, { member_entity_ids: ["é"] }, "a member of the group does not exist"],
      [at, { policies: "Root" }, "entities and groups cannot have the policy root"],
      [at, { type: "external" }, "the type of a group cannot be changed"],
      [at, { name: "outer" }, "group name is already in use"],
      ["identity/group", { type: "x" }, "invalid group type: use internal or external"],
    ] as const)
      expect([given, (await a.call("POST", path, given)).errors]).toEqual([given, [text]]);
    await a.call("POST", at, { member_entity_ids: [] });
    expect((await enter(a)).policies).toEqual(["default"]);
    await a.call("POST", at, { member_entity_ids: [entity] });
    await a.call("DELETE", "identity/group/name/outer");
    expect((await enter(a)).policies).toEqual(["default", "in"]);
    // the path identifies the group, even if the body has another ID
    await a.call("POST", "identity/group/name/third", { id: inner.data["id"] });
    expect((await a.call("GET", at)).data["name"]).toBe("inner");
  });

  it("no longer list a deleted group, and can be changed afterwards", async () => {
    const { call } = await prepared();
    const inner = (await call("POST", "identity/group/name/inner", {})).data["id"];
    await call("POST", "identity/group/name/outer", { member_group_ids: [inner] });
    await call("DELETE", "identity/group/name/inner");
    expect((await call("GET", "identity/group/name/outer")).data["member_group_ids"]).toEqual([]);
    const changed = await call("POST", "identity/group/name/outer", { policies: "out" });
    expect([changed.status, changed.errors]).toEqual([204, []]);
  });
  it("can be changed after another server has deleted an entity while it became a member", async () => {
    const { stores, fault } = faultyStores();
    const [a, b] = [authority({ stores }), authority({ stores, seed: 2 })];
    const { id } = (await a.call("POST", "identity/entity/name/bob", {})).data;
    await a.call("POST", "identity/group/name/g", {});
    fault(
      "sys",
      beforePut(/^group\//, () => b.call("DELETE", "identity/entity/name/bob")),
    );
    const members = { member_entity_ids: [id] };
    expect((await a.call("POST", "identity/group/name/g", members)).status).toBe(204);
    expect((await a.call("GET", "identity/entity/name/bob")).status).toBe(404);
    const changed = await a.call("POST", "identity/group/name/g", { policies: "p" });
    expect([changed.status, changed.errors]).toEqual([204, []]);
  });

  it("(writeGroupAlias, readGroupAlias, listGroupAliases, deleteGroupAlias) of type external have an alias, and reject members", async () => {
    const a = await prepared();
    const { data } = await a.call("POST", "identity/group", { name: "ext", type: "external" });
    const body = { name: "admins", mount_accessor: a.accessor, canonical_id: data["id"] };
    const made = await a.call("POST", "identity/group-alias", body);
    const at = `identity/group-alias/id/${String(made.data["id"])}`;
    expect((await a.call("GET", at)).data).toMatchObject({
      name: "admins",
      canonical_id: data["id"],
    });
    expect((await a.call("POST", "identity/group-alias", body)).errors).toEqual([
      "this name is an alias of a group: delete that alias first",
    ]);
    const { entity_id: entity } = await enter(a);
    const listed = { member_entity_ids: [entity] };
    expect((await a.call("POST", "identity/group/name/ext", listed)).errors).toEqual([
      "the members of an external group are set by its login method",
    ]);
    await a.call("POST", "identity/group/name/int", {});
    const int = (await a.call("GET", "identity/group/name/int")).data["id"];
    expect(
      (await a.call("POST", "identity/group-alias", { ...body, canonical_id: int })).errors,
    ).toEqual(["only external groups can have an alias"]);
    const list = () => a.call("LIST", "identity/group-alias/id");
    const id = at.split("/").at(-1) ?? "";
    expect((await list()).data).toMatchObject({
      keys: [id],
      key_info: { [id]: { name: "admins", mount_accessor: a.accessor, mount_type: "userpass" } },
    });
    expect((await a.call("DELETE", at)).status).toBe(204);
    expect((await a.call("GET", at)).status).toBe(404);
    expect((await list()).status).toBe(404);
    expect((await a.call("POST", "identity/group-alias", body)).status).toBe(200);
  });
});

describe("role templates (A 7.4)", () => {
  it("use the entity of the token: its alias name, its metadata and the metadata of its groups", async () => {
    const a = await prepared();
    await a.root();
    const { entity_id: id } = await enter(a);
    await a.call("POST", `identity/entity/id/${id}`, {
      metadata: { site: "berlin" },
      policies: "issue",
    });
    await a.call("POST", "identity/group/name/ops", {
      member_entity_ids: [id],
      metadata: { zone: "z1" },
    });
    await a.call("PUT", "sys/policies/acl/issue", {
      policy: 'path "pki/issue/web" { capabilities = ["update"] }',
    });
    await a.role("web", {
      allow_any_name: false,
      allow_bare_domains: true,
      allowed_domains_template: true,
      allowed_domains: [
        `{{identity.entity.aliases.${a.accessor}.name}}.test`,
        "{{identity.entity.metadata.site}}.test",
        "{{identity.groups.names.ops.metadata.zone}}.test",
      ],
    });
    const { client_token: token } = await enter(a);
    const issue = async (common_name: string) =>
      (await a.call("POST", "pki/issue/web", { common_name }, { token })).status;
    expect(await issue("bob.test")).toBe(200);
    expect(await issue("berlin.test")).toBe(200);
    expect(await issue("z1.test")).toBe(200);
    expect(await issue("alice.test")).toBe(400);
    await a.call("DELETE", "identity/group/name/ops");
    expect(await issue("z1.test")).toBe(400);
  });
});
