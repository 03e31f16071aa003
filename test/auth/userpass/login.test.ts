import { afterEach, describe, expect, it, vi } from "vitest";
import { authority, type Authority } from "../../support/authority.ts";
import { hashCheaply } from "../../support/cheap-passwords.ts";

type Json = Readonly<Record<string, unknown>>;
const password = "correct horse ä";
async function prepared(user: Json = {}) {
  const a = authority();
  await a.call("POST", "sys/auth/userpass", { type: "userpass" });
  const body = { password, policies: "people", ...user };
  expect((await a.call("POST", "auth/userpass/users/Bob", body)).status).toBe(204);
  return a;
}
const enter = (a: Pick<Authority, "call">, name: string, given: string = password) =>
  a.call("POST", `auth/userpass/login/${name}`, { password: given }, { token: "" });
const refused = [400, ["invalid username or password"]];
const told = ({ status, errors }: Awaited<ReturnType<typeof enter>>) => [status, errors];

hashCheaply();
// some tests replace the hash themselves
afterEach(() => void vi.restoreAllMocks());

describe("auth/userpass/login (loginUser)", () => {
  it("returns a token for a password and a case-insensitive name, and maps both to one entity", async () => {
    const a = await prepared({ token_ttl: "1h" });
    const [one, two] = [await enter(a, "bob"), await enter(a, "BOB")];
    expect(one.json["auth"]).toMatchObject({
      policies: ["default", "people"],
      metadata: { username: "bob" },
      lease_duration: 3600,
    });
    const entity = (json: Json) => (json["auth"] as Json)["entity_id"];
    expect(entity(one.json)).toBe(entity(two.json));
    const { client_token: token } = one.json["auth"] as { client_token: string };
    const self = await a.call("GET", "auth/token/lookup-self", undefined, { token });
    expect(self.data).toMatchObject({ display_name: "userpass-bob", meta: { username: "bob" } });
  });

  it("limits the token by the token_explicit_max_ttl of the user", async () => {
    const a = await prepared({ token_ttl: "1h", token_explicit_max_ttl: "5m" });
    const { client_token: token, lease_duration } = (await enter(a, "bob")).json["auth"] as {
      client_token: string;
      lease_duration: number;
    };
    const self = await a.call("GET", "auth/token/lookup-self", undefined, { token });
    expect([lease_duration, self.data["explicit_max_ttl"]]).toEqual([300, 300]);
  });

  it("rejects a wrong password and an unknown name with the same error, after the same number of hashes and commits", async () => {
    const a = await prepared();
    const hashes = vi.spyOn(crypto.subtle, "deriveBits");
    const store = a.stores("sys");
    const revisions = async () => {
      const rows = await store.list("methoddata/", {});
      return rows.map(([key, { rev }]) => `${key} ${rev}`);
    };
    for (const name of ["bob", "nobody"]) {
      hashes.mockClear();
      const before = await revisions();
      expect(told(await enter(a, name, "wrong"))).toEqual(refused);
      expect(hashes).toHaveBeenCalledTimes(1);
      expect(hashes.mock.calls[0]?.[0]).toMatchObject({ iterations: 100_000 });
      const after = await revisions();
      expect(after.filter((row) => !before.includes(row))).toHaveLength(1);
    }
    expect(told(await enter(a, "bob", ""))).toEqual([400, ["missing password"]]);
    expect(told(await enter(a, "bob", "x".repeat(2000)))).toEqual(refused);
    expect(await store.list("token/")).toEqual([]);
  });

  it("copies the alias_metadata of the user to the alias of the entity", async () => {
    const a = await prepared({ alias_metadata: { team: "a", n: 1 } });
    const at = "auth/userpass/users/bob";
    expect((await a.call("GET", at)).data).toMatchObject({ alias_metadata: { team: "a", n: "1" } });
    const metadataOf = async () => {
      expect((await enter(a, "bob")).status).toBe(200);
      const [id] = (await a.call("LIST", "identity/entity-alias/id")).data["keys"] as string[];
      return (await a.call("GET", `identity/entity-alias/id/${id}`)).data["metadata"];
    };
    expect(await metadataOf()).toEqual({ team: "a", n: "1" });
    await a.call("POST", at, { token_ttl: 60 });
    expect(await metadataOf()).toEqual({ team: "a", n: "1" });
    await a.call("POST", at, { alias_metadata: ["team=b"] });
    expect(await metadataOf()).toEqual({ team: "b" });
    await a.call("POST", at, { alias_metadata: {} });
    expect(await metadataOf()).toEqual({});
    for (const alias_metadata of [
      { ["x".repeat(129)]: "" },
      { x: "x".repeat(513) },
      Object.fromEntries(Array.from({ length: 65 }, (_, n) => [n, ""])),
      { x: {} },
    ])
      expect((await a.call("POST", at, { alias_metadata })).status).toBe(400);
  });

  it("returns 503 for known and unknown users alike while too many passwords are being checked", async () => {
    const a = await prepared();
    const names = Array.from({ length: 153 }, (_, at) => (at % 2 ? "bob" : "nobody"));
    const answers = await Promise.all(names.map((name) => enter(a, name, "wrong")));
    const busy = answers.filter(({ status }) => status === 503);
    expect(busy).toHaveLength(24);
    for (const answer of busy)
      expect([told(answer), answer.headers.get("retry-after")]).toEqual([
        [503, ["too many password checks are pending; try again"]],
        "1",
      ]);
    // users have odd numbers; on a busy machine calls may arrive in another order
    const kinds = answers.flatMap(({ status }, at) => (status === 503 ? [at % 2] : []));
    expect(new Set(kinds)).toEqual(new Set([0, 1]));
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(129);
  });

  it("checks a password within a few turns while clients of another network, and of another method, guess without a pause", async () => {
    const a = await prepared();
    await a.call("POST", "sys/auth/other", { type: "userpass" });
    await a.call("POST", "auth/other/users/bob", { password: "a good password" });
    const from = async (address: string, path: string, password: string) => {
      const body = JSON.stringify({ password });
      const request = new Request(`http://ca.test/v1/auth/${path}`, { method: "POST", body });
      return (await a.ca.fetch(request, { peer: { address } })).status;
    };
    let ends = false;
    // replies to guesses: 400 if the password was checked, 503 if too many were waiting
    const replies: number[] = [];
    const guessing = Array.from({ length: 150 }, async (_, i) => {
      for (let n = 0; !ends; n++) {
        replies.push(await from("192.0.2.1", `userpass/login/nobody${i}-${n}`, "wrong"));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });
    try {
      await vi.waitUntil(() => replies.includes(503), { timeout: 60_000, interval: 1 });
      for (let n = 0; n < 3; n++)
        for (const [address, path, secret] of [
          ["198.51.100.1", "userpass/login/bob", password],
          ["192.0.2.1", "other/login/bob", "a good password"],
        ] as const) {
          const before = replies.length;
          expect(await from(address, path, secret)).toBe(200);
          const checked = replies.slice(before).filter((status) => status === 400);
          // 128 requests are waiting
          expect(checked.length).toBeLessThan(20);
        }
    } finally {
      ends = true;
    }
    await Promise.all(guessing);
  });

  it("accepts a user while one site guesses from each of its IPv6 networks", async () => {
    const a = await prepared();
    const from = async (address: string, name: string) => {
      const body = JSON.stringify({ password });
      const url = `http://ca.test/v1/auth/userpass/login/${name}`;
      const request = new Request(url, { method: "POST", body });
      return (await a.ca.fetch(request, { peer: { address } })).status;
    };
    const guesses = Array.from({ length: 130 }, (_, n) => from(`2001:db8:1:${n}::1`, "nobody"));
    expect(await from("2001:db8:2::1", "bob")).toBe(200);
    expect((await Promise.all(guesses)).filter((status) => status === 503)).toHaveLength(2);
  });

  it("cannot be used to fill the store with unknown names", async () => {
    const a = await prepared();
    for (let n = 0; n < 40; n++) await enter(a, `nobody${n}`, "wrong");
    const rows = await a.stores("sys").list("methoddata/");
    expect(rows.length).toBeLessThan(40);
  });

  it("does not displace other events in the audit log, however often passwords are guessed", async () => {
    const a = await prepared();
    const before = await a.stores("sys").list("audit/");
    for (const name of ["bob", "nobody"]) await enter(a, name, "wrong");
    expect(await a.stores("sys").list("audit/")).toEqual(before);
    await enter(a, "bob");
    expect((await a.stores("sys").list("audit/change/")).length).toBe(before.length + 1);
  });

  it("locks a user for 15 minutes after five failures in a row, with the same error", async () => {
    const a = await prepared();
    for (let n = 0; n < 4; n++) await enter(a, "bob", "wrong");
    expect((await enter(a, "bob")).status).toBe(200);
    for (let n = 0; n < 5; n++) await enter(a, n % 2 ? "bob" : "BOB", "wrong");
    expect(told(await enter(a, "bob"))).toEqual(refused);
    a.clock.advance(899);
    // attempts during the lock do not extend it
    expect(told(await enter(a, "bob"))).toEqual(refused);
    a.clock.advance(1);
    expect((await enter(a, "bob")).status).toBe(200);
  });

  it("does not add up failures that are 15 minutes apart", async () => {
    const a = await prepared();
    for (let n = 0; n < 8; n++) {
      await enter(a, "bob", "wrong");
      a.clock.advance(900);
    }
    expect((await enter(a, "bob")).status).toBe(200);
  });

  it("ignores failures from a clock that was years ahead once the clock is corrected", async () => {
    const a = await prepared();
    const years = 10 * 365 * 86_400;
    a.clock.advance(years);
    for (let n = 0; n < 5; n++) await enter(a, "bob", "wrong");
    expect(told(await enter(a, "bob"))).toEqual(refused);
    a.clock.advance(-years);
    expect((await enter(a, "bob")).status).toBe(200);
    // failures dated in the future do not count, and a lock holds on hosts with slightly different
    // clocks
    a.clock.advance(years);
    for (let n = 0; n < 4; n++) await enter(a, "bob", "wrong");
    a.clock.advance(-years);
    await enter(a, "bob", "wrong");
    expect((await enter(a, "bob")).status).toBe(200);
    for (let n = 0; n < 5; n++) await enter(a, "bob", "wrong");
    a.clock.advance(-30);
    expect(told(await enter(a, "bob"))).toEqual(refused);
  });

  it("counts concurrent guesses on two engines exactly: five before it locks the user, and none after", async () => {
    const a = await prepared();
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    const guesses = Array.from({ length: 16 }, (_, at) =>
      enter(at % 2 ? a : b, "bob", `wrong${at}`),
    );
    for (const answer of await Promise.all(guesses)) expect(told(answer)).toEqual(refused);
    const [row] = (await a.stores("sys").list("methoddata/")).flatMap(([key, { value }]) =>
      key.endsWith("/userpassfailure/bob") ? [value] : [],
    );
    expect(row).toMatchObject({ failures: 5, until: a.clock.now + 900_000 });
    expect(told(await enter(b, "bob"))).toEqual(refused);
  });

  it("(unlockUser) succeeds after an administrator unlocks the user, or sets a new password", async () => {
    const a = await prepared();
    const lock = async () => {
      for (let n = 0; n < 5; n++) await enter(a, "bob", "wrong");
      expect((await enter(a, "bob")).status).toBe(400);
    };
    await lock();
    const { data } = await a.call("GET", "sys/auth/userpass");
    const accessor = data["accessor"] as string;
    const unlock = (of: string, token = "root") =>
      a.call("POST", `sys/locked-users/${of}/unlock/Bob`, {}, { token });
    expect((await unlock(accessor, "reader")).status).toBe(403);
    expect((await unlock("auth_token_builtin")).status).toBe(400);
    expect((await unlock(accessor)).status).toBe(204);
    expect((await enter(a, "bob")).status).toBe(200);
    await lock();
    const next = { password: "another" };
    expect((await a.call("POST", "auth/userpass/users/bob/password", next)).status).toBe(204);
    expect((await enter(a, "bob", "another")).status).toBe(200);
    expect((await enter(a, "bob")).status).toBe(400);
  });

  it("(readUser, listUsers) shows the end of a lock while the user is locked", async () => {
    const a = await prepared();
    await a.call("POST", "auth/userpass/users/ann", { password });
    const listed = async () => {
      const { data } = await a.call("GET", "auth/userpass/users?list=true&detailed=true");
      const one = (await a.call("GET", "auth/userpass/users/bob")).data;
      const info = data["key_info"] as Readonly<Record<string, Json>>;
      expect(info["bob"]).toEqual({
        token_policies: one["token_policies"],
        ...(one["locked_until"] !== undefined && { locked_until: one["locked_until"] }),
      });
      return [info["ann"]?.["locked_until"], one["locked_until"]];
    };
    expect(await listed()).toEqual([undefined, undefined]);
    for (let n = 0; n < 5; n++) await enter(a, "bob", "wrong");
    const end = new Date(a.clock.now + 900_000).toISOString().replace(".000", "");
    expect(await listed()).toEqual([undefined, end]);
    a.clock.advance(900);
    expect(await listed()).toEqual([undefined, undefined]);
  });

  it("(listUsers) does not show details of a user that a policy denies in another spelling", async () => {
    const a = await prepared();
    await a.call("POST", "auth/userpass/users/ann", { password });
    const users = "auth/userpass/users";
    const policy = `path "${users}" { capabilities = ["list"] }
      path "${users}/*" { capabilities = ["read"] }
      path "${users}/Bob" { capabilities = ["deny"] }`;
    await a.call("PUT", "sys/policies/acl/viewer", { policy });
    const { json } = await a.call("POST", "auth/token/create", { policies: ["viewer"] });
    const { client_token: token } = json["auth"] as { client_token: string };
    const read = (path: string) => a.call("GET", path, undefined, { token });
    expect((await read(`${users}/bob`)).status).toBe(403);
    const { data } = await read(`${users}?list=true&detailed=true`);
    expect(data["keys"]).toEqual(["ann", "bob"]);
    expect(Object.keys(data["key_info"] as Json)).toEqual(["ann"]);
  });

  it("security row 93: reports that the platform does not support the iterations of a password hash", async () => {
    const a = await prepared();
    const store = a.stores("sys");
    const [[key, { value }] = ["", { value: {} }]] = (await store.list("methoddata/")).filter(
      ([one]) => one.includes("/userpass/"),
    );
    const user = value as { password: Json };
    const more = { ...user, password: { ...user.password, iterations: 600_000 } };
    await store.commit({ put: [[key, more]] });
    // Node supports any number of iterations, so the password just does not match
    expect((await enter(a, "bob")).status).toBe(400);
    vi.spyOn(crypto.subtle, "deriveBits").mockRejectedValue(
      new DOMException("iteration counts above 100000 are not supported", "NotSupportedError"),
    );
    expect(told(await enter(a, "bob"))).toEqual([
      503,
      [
        "this platform cannot verify a password that was hashed with more than 100000 iterations: set the password again",
      ],
    ]);
  });

  it("reveals no password in the log, the store or a response", async () => {
    const a = await prepared();
    const answers = [
      await enter(a, "bob"),
      await enter(a, "bob", "canary-wrong"),
      await a.call("GET", "auth/userpass/users/bob"),
      await a.call("POST", "auth/userpass/users/bob", { password, token_type: "x" }),
    ];
    const rows = await a.stores("sys").list("");
    const all = JSON.stringify([rows, a.events, answers.map(({ text }) => text)]);
    for (const text of [password, "canary-wrong"]) expect(all).not.toContain(text);
  });

  it("fails at once after the user is deleted; its tokens are revoked with the method", async () => {
    const a = await prepared();
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    const { json } = await enter(b, "bob");
    const { client_token: token } = json["auth"] as { client_token: string };
    const self = async (of: Authority) =>
      (await of.call("GET", "auth/token/lookup-self", undefined, { token })).status;
    expect((await a.call("DELETE", "auth/userpass/users/bob")).status).toBe(204);
    expect(told(await enter(b, "bob"))).toEqual(refused);
    expect(await self(a)).toBe(200);
    await a.call("DELETE", "sys/auth/userpass");
    expect(await self(a)).toBe(403);
    a.clock.advance(1);
    expect(await self(b)).toBe(403);
    expect(await a.stores("sys").list("token/")).toEqual([]);
  });
});

describe("users", () => {
  it("(writeUser, readUser, listUsers, writePassword, writeUserPolicies, deleteLoginUser) are created, updated field by field, listed and deleted, and show no passwords", async () => {
    const a = await prepared({ token_max_ttl: "2h" });
    const at = "auth/userpass/users/bob";
    expect((await a.call("POST", at, { token_ttl: "1h" })).status).toBe(204);
    expect((await a.call("GET", "auth/userpass/users/BOB")).data).toEqual({
      token_ttl: 3600,
      token_max_ttl: 7200,
      token_explicit_max_ttl: 0,
      token_period: 0,
      token_policies: ["people"],
      token_bound_cidrs: [],
      token_no_default_policy: false,
      token_num_uses: 0,
      token_type: "default",
      alias_metadata: {},
    });
    expect((await a.call("POST", `${at}/policies`, { policies: "B,a" })).status).toBe(204);
    expect((await a.call("GET", at)).data["token_policies"]).toEqual(["a", "b"]);
    expect((await a.call("LIST", "auth/userpass/users")).data).toEqual({ keys: ["bob"] });
    expect((await enter(a, "bob")).status).toBe(200);
    for (const [path, body, text] of [
      ["users/new", {}, "missing password"],
      ["users/new/password", { password: "x" }, "username does not exist"],
      ["users/new/policies", { policies: "x" }, "username does not exist"],
      ["users/bob/password", {}, "missing password"],
      ["users/bob", { policies: "root" }, "auth methods cannot create root tokens"],
      [
        "users/bob",
        { password: "x".repeat(1025) },
        "the password must have at most 1024 characters",
      ],
    ] as const)
      expect([path, ...told(await a.call("POST", `auth/userpass/${path}`, body))]).toEqual([
        path,
        400,
        [text],
      ]);
    expect((await a.call("DELETE", at)).status).toBe(204);
    expect((await a.call("GET", at)).status).toBe(404);
    expect((await a.call("LIST", "auth/userpass/users")).status).toBe(404);
  });

  it.each(["root", "Default", "config", "acme"])(
    "security row 91: the reserved name %s is rejected, and nothing is stored",
    async (name) => {
      const a = authority();
      await a.sys.enableMethod({ path: "userpass", type: "userpass" });
      const answer = await a.call("POST", `auth/userpass/users/${name}`, {
        password: "a password",
      });
      expect([answer.status, answer.errors]).toEqual([
        400,
        [`the name "${name.toLowerCase()}" is reserved`],
      ]);
      expect((await a.call("LIST", "auth/userpass/users")).status).toBe(404);
    },
  );
  it("security row 91: a policy is checked against the one spelling under which a name is stored", async () => {
    const asked: string[] = [];
    const can = (_: string, path: string) => (asked.push(path), false);
    const a = authority({ authenticate: async () => ({ id: "x", can }) });
    await a.sys.enableMethod({ path: "userpass", type: "userpass" });
    await a.call("GET", "auth/userpass/users/BOB");
    await a.call("GET", "auth/userpass/users/%42OB");
    expect(new Set(asked)).toEqual(new Set(["auth/userpass/users/bob"]));
    const b = authority();
    await b.sys.enableMethod({ path: "userpass", type: "userpass" });
    expect((await b.call("GET", "auth/userpass/users/B%C3%96B")).status).toBe(404);
  });
});
