import { describe, expect, it } from "vitest";
import { memoryStore } from "../../../src/index.ts";
import { authority, clockAt } from "../../support/authority.ts";
import { tokensOf } from "../../support/tokens.ts";

const read = (path: string) => `path "${path}" { capabilities = ["read"] }`;

describe("policies", () => {
  it("are written, listed, read and deleted, with fields also at the top level of the reply", async () => {
    const { call } = authority();
    expect((await call("PUT", "sys/policies/acl/web", { policy: read("a") })).status).toBe(204);
    expect((await call("POST", "sys/policies/acl/team/app", { policy: read("b") })).status).toBe(
      204,
    );
    const listed = await call("GET", "sys/policies/acl?list=true");
    expect(listed.data["keys"]).toEqual(
      expect.arrayContaining(["default", "root", "team/app", "web"]),
    );
    expect(listed.json["keys"]).toEqual(listed.data["keys"]);
    expect(listed.data["keys"]).toEqual([...(listed.data["keys"] as string[])].sort());
    expect(listed.data["keys"]).not.toContain("response-wrapping");
    const one = await call("GET", "sys/policies/acl/web");
    expect([one.data, one.json["policy"]]).toEqual([{ name: "web", policy: read("a") }, read("a")]);
    expect((await call("DELETE", "sys/policies/acl/web")).status).toBe(204);
    expect((await call("DELETE", "sys/policies/acl/web")).status).toBe(204);
    expect((await call("GET", "sys/policies/acl/web")).status).toBe(404);
  });

  it("are also available to old clients below sys/policy", async () => {
    const { call } = authority();
    expect((await call("PUT", "sys/policy/old", { rules: read("a") })).status).toBe(204);
    expect((await call("PUT", "sys/policy/new", { policy: read("b") })).status).toBe(204);
    for (const how of [await call("GET", "sys/policy"), await call("LIST", "sys/policy")]) {
      expect(how.data["keys"]).toEqual(expect.arrayContaining(["default", "new", "old", "root"]));
      expect(how.data["policies"]).toEqual(how.data["keys"]);
      expect(how.json["policies"]).toEqual(how.data["keys"]);
    }
    const one = await call("GET", "sys/policy/old");
    expect([one.data, one.json["rules"]]).toEqual([{ name: "old", rules: read("a") }, read("a")]);
    expect((await call("DELETE", "sys/policy/old")).status).toBe(204);
    expect((await call("GET", "sys/policy/old")).status).toBe(404);
  });

  it("may be HCL, JSON or base64 of either; invalid text is rejected and not stored", async () => {
    const { call } = authority();
    for (const text of [read("ä"), '{"path":{"a":{"policy":"read"}}}']) {
      const policy = Buffer.from(text).toString("base64");
      expect((await call("PUT", "sys/policies/acl/web", { policy })).status).toBe(204);
      expect((await call("GET", "sys/policies/acl/web")).data["policy"]).toBe(text);
    }
    for (const [body, text] of [
      [{}, "'policy' parameter not supplied or empty"],
      [{ policy: "" }, "'policy' parameter not supplied or empty"],
      [{ policy: " \n" }, "'policy' parameter not supplied or empty"],
      [
        { policy: 'path "a" {\n x = 1 }' },
        'failed to parse policy: line 2: unknown key "x" in path "a"',
      ],
      [{ policy: "AAAA" }, 'failed to parse policy: line 1: unexpected "\\u0000"'],
      [{ policy: "/////w==" }, "failed to parse policy: line 1: the base64 does not encode UTF-8"],
    ] as const) {
      const { status, errors } = await call("PUT", "sys/policies/acl/none", body);
      expect([status, errors]).toEqual([400, [text]]);
    }
    expect((await call("GET", "sys/policies/acl/none")).status).toBe(404);
  });

  it("have lower-case names, with a warning for other spellings, which all lead to the same policy", async () => {
    const { call } = authority();
    const written = await call(
      "PUT",
      "sys/policies/acl/Web",
      { policy: read("a") },
      { compat: true },
    );
    expect([written.status, written.json["warnings"]]).toEqual([
      200,
      ["policy name was converted to web"],
    ]);
    expect((await call("GET", "sys/policies/acl/WEB")).data["name"]).toBe("web");
    for (const name of [
      "%22",
      "a%20",
      "a%20%20b",
      "a%C2%A0b",
      "a%E2%80%8Bb",
      "a%E2%80%A8b",
      "%EF%BD%92oot",
      "DE%EF%BC%A6AULT",
      "%E6%97%A5".repeat(57),
      `${"a".repeat(129)}`,
    ]) {
      const { status, errors } = await call("PUT", `sys/policies/acl/${name}`, {
        policy: read("a"),
      });
      expect([name, status, errors[0]]).toEqual([
        name,
        400,
        expect.stringMatching(/^invalid policy name/),
      ]);
      expect((await call("GET", `sys/policies/acl/${name}`)).status).toBe(404);
    }
  });
  it("whose names cannot exist count as deleted: deleting one returns 204, reading 404, writing 400", async () => {
    const { call } = authority();
    for (const base of ["sys/policies/acl", "sys/policy"])
      for (const name of ["%5B%27testpolicy%27%5D", "%22", "a%2Cb", "a".repeat(129)]) {
        const at = `${base}/${name}`;
        expect([at, (await call("DELETE", at)).status]).toEqual([at, 204]);
        expect([at, (await call("GET", at)).status]).toEqual([at, 404]);
        const put = await call("PUT", at, { policy: read("a") });
        expect([at, put.status, put.errors]).toEqual([
          at,
          400,
          [expect.stringMatching(/^invalid policy name/)],
        ]);
      }
  });
  it("may have spaces and non-ASCII letters in their names, in NFC, and every spelling leads to the same policy", async () => {
    const { call, stores } = authority();
    const spellings = (name: string) =>
      [name, name.normalize("NFD"), name.toUpperCase(), name.toUpperCase().normalize("NFD")].map(
        (one) => one.split("/").map(encodeURIComponent).join("/"),
      );
    for (const [base, member] of [
      ["sys/policies/acl", "policy"],
      ["sys/policy", "rules"],
    ] as const)
      for (const name of ["my policy", "team/a:bé", "日本語 가", "kelvin"])
        for (const [at, spelled] of [...spellings(name), "%E2%84%AAelvin"].entries()) {
          if (name !== "kelvin" && at === 4) continue;
          const text = read(`${name} ${at}`);
          const put = await call("PUT", `${base}/${spelled}`, { policy: text }, { compat: true });
          const isSame = decodeURIComponent(spelled) === name;
          expect([spelled, put.status, put.json["warnings"]]).toEqual([
            spelled,
            isSame ? 204 : 200,
            isSame ? undefined : [`policy name was converted to ${name}`],
          ]);
          for (const other of spellings(name))
            expect((await call("GET", `${base}/${other}`)).data).toEqual({ name, [member]: text });
        }
    const listed = (await call("LIST", "sys/policies/acl")).data["keys"] as readonly string[];
    expect(listed).toEqual(
      expect.arrayContaining(["kelvin", "my policy", "team/a:bé", "日本語 가"]),
    );
    expect(listed).toEqual([...new Set(listed)]);
    const keys = async () =>
      (await stores("sys").list("policy/", { values: false })).map(([key]) => key);
    expect(await keys()).toContain("policy/team/a:b%C3%A9");
    await call("DELETE", `sys/policies/acl/team/${encodeURIComponent("A:BE\u0301")}`);
    expect((await call("GET", "sys/policies/acl/team/a:b%C3%A9")).status).toBe(404);
    expect(await keys()).not.toContain("policy/team/a:b%C3%A9");
  });
  it("are authorized by the name in lower case, so that no spelling evades a rule", async () => {
    const made = authority();
    await made.call("PUT", "sys/policies/acl/secret", { policy: read("a") });
    const policy =
      'path "sys/policies/acl/*" { capabilities = ["read"] } path "sys/policies/acl/secret" { capabilities = ["deny"] }';
    await made.call("PUT", "sys/policies/acl/reader", { policy });
    const { token } = await tokensOf(made)(["reader"]);
    for (const name of ["secret", "SECRET", "s%65cret", "%53ecret"])
      expect(
        (await made.call("GET", `sys/policies/acl/${name}`, undefined, { token })).status,
      ).toBe(403);
    expect((await made.call("GET", "sys/policies/acl/Reader", undefined, { token })).status).toBe(
      200,
    );
  });

  it("are authorized by the name in NFC, so that no spelling in a path or a rule evades a denial", async () => {
    const made = authority();
    const [nfc, nfd] = ["tëam é", "TËAM É".normalize("NFD")];
    await made.call("PUT", `sys/policies/acl/${encodeURIComponent(nfc)}`, { policy: read("a") });
    for (const denied of [nfc, nfd, `${nfd.slice(0, 5)}*`]) {
      const policy = ["policies/acl", "policy"]
        .flatMap((base) => [
          `path "sys/${base}/*" { capabilities = ["read", "update", "delete"] }`,
          `path "sys/${base}/${denied}" { capabilities = ["deny"] }`,
        ])
        .join("\n");
      await made.call("PUT", "sys/policies/acl/reader", { policy });
      const { token } = await tokensOf(made)(["reader"]);
      for (const spelled of [nfc, nfd, nfc.toUpperCase(), nfd.toLowerCase()]) {
        const name = encodeURIComponent(spelled);
        for (const [method, at] of [
          ["GET", `sys/policies/acl/${name}`],
          ["PUT", `sys/policies/acl/${name}`],
          ["DELETE", `sys/policy/${name}`],
          ["GET", `sys/policy/${name}`],
        ] as const) {
          const body = method === "PUT" ? { policy: read("b") } : undefined;
          const { status } = await made.call(method, at, body, { token });
          expect([denied, method, at, status]).toEqual([denied, method, at, 403]);
        }
        const paths = [`sys/policies/acl/${spelled}`, `/v1/sys/policy/${spelled}`];
        const { json } = await made.call("POST", "sys/capabilities", { token, paths });
        for (const path of paths) expect([path, json[path]]).toEqual([path, ["deny"]]);
      }
      const free = await made.call("GET", "sys/policies/acl/none", undefined, { token });
      expect(free.status).toBe(404);
    }
  });

  it("named root and response-wrapping cannot be changed or deleted; default can be changed but not deleted", async () => {
    const { call } = authority();
    for (const base of ["sys/policies/acl", "sys/policy"])
      for (const name of ["root", "ROOT", "response-wrapping"]) {
        const lower = name.toLowerCase();
        const put = await call("PUT", `${base}/${name}`, { policy: read("a") });
        expect([put.status, put.errors]).toEqual([400, [`cannot update "${lower}" policy`]]);
        const del = await call("DELETE", `${base}/${name}`);
        expect([del.status, del.errors]).toEqual([400, [`cannot delete "${lower}" policy`]]);
      }
    expect((await call("GET", "sys/policies/acl/root")).data).toEqual({ name: "root", policy: "" });
    expect((await call("GET", "sys/policies/acl/default")).data["policy"]).toContain("cubbyhole/*");
    expect((await call("DELETE", "sys/policies/acl/default")).errors).toEqual([
      'cannot delete "default" policy',
    ]);
    expect((await call("PUT", "sys/policies/acl/default", { policy: read("a") })).status).toBe(204);
    expect((await call("GET", "sys/policies/acl/default")).data["policy"]).toBe(read("a"));
  });
});

describe("the library", () => {
  it("calls the policy endpoints by name", async () => {
    const { sys } = authority();
    await sys.writePolicy({ name: "web", policy: read("a") });
    await sys.writeRules({ name: "old", rules: read("a") });
    expect(await sys.readPolicy({ name: "web" })).toMatchObject({ policy: read("a") });
    expect(await sys.readRules({ name: "old" })).toMatchObject({ rules: read("a") });
    await sys.deletePolicy({ name: "web" });
    await sys.deleteRules({ name: "old" });
    expect((await sys.listPolicies()).keys).toEqual((await sys.listRules()).policies);
    expect(await sys.testPolicies({ path: "a", policy: read("a") })).toMatchObject({
      granted: false,
    });
    expect(await sys.capabilitiesSelf({ paths: ["a"] })).toMatchObject({ a: ["root"] });
    await expect(sys.capabilitiesAccessor({ accessor: "x", paths: ["a"] })).rejects.toMatchObject({
      status: 400,
    });
    expect(await sys.resultantAcl()).toMatchObject({ root: true });
  });
});

describe("a token", () => {
  it("has the permissions of its current policies, at once here and within a second elsewhere", async () => {
    const [stores, clock] = [memoryStore(), clockAt()];
    const [here, there] = [authority({ stores, clock }), authority({ stores, clock, seed: 2 })];
    const { token } = await tokensOf(here)(["web"]);
    const may = async ({ call }: typeof here) =>
      (await call("GET", "sys/mounts", undefined, { token })).status;
    const write = (policy: string) => here.call("PUT", "sys/policies/acl/web", { policy });
    expect([await may(here), await may(there)]).toEqual([403, 403]);
    await write(read("sys/mounts"));
    expect([await may(here), await may(there)]).toEqual([200, 403]);
    clock.advance(1);
    expect(await may(there)).toBe(200);
    await write('path "sys/mounts" { capabilities = ["deny"] }');
    expect([await may(here), await may(there)]).toEqual([403, 200]);
    clock.advance(0.999);
    expect(await may(there)).toBe(200);
    clock.advance(0.001);
    expect(await may(there)).toBe(403);
    await write(read("sys/mounts"));
    await here.call("DELETE", "sys/policies/acl/web");
    expect(await may(here)).toBe(403);
    clock.advance(1);
    expect(await may(there)).toBe(403);
  });

  it("is authorized by one state of its policies, even if they change between path and body", async () => {
    const made = authority();
    await made.root();
    await made.role("web");
    const strict =
      'path "pki/issue/web" { capabilities = ["update"] allowed_parameters = { common_name = ["good"] } }';
    const lax = 'path "pki/issue/web" { capabilities = ["deny"] }';
    const write = (policy: string) => made.call("PUT", "sys/policies/acl/web", { policy });
    await write(strict);
    const { token } = await tokensOf(made)(["web"]);
    const issue = (body: ReadableStream | string) =>
      made.ca.fetch(
        // streams are sent in half-duplex mode
        new Request("http://ca.test/v1/pki/issue/web", {
          method: "POST",
          headers: { "x-service-token": token },
          body,
          duplex: "half",
        } as RequestInit),
      );
    // the body arrives after authorization of the path, and the policy changes in between
    let release = (): void => undefined;
    const slow = new ReadableStream({
      pull: (controller) =>
        new Promise<void>((resolve) => {
          release = () => {
            controller.enqueue(new TextEncoder().encode('{"common_name":"evil"}'));
            controller.close();
            resolve();
          };
        }),
    });
    const pending = issue(slow);
    while (made.events.length < 5) await write(made.events.length < 4 ? strict : lax);
    release();
    expect((await pending).status).toBe(403);
    expect((await issue('{"common_name":"good"}')).status).toBe(403);
  });

  it("is limited to the parameters and the wrapping TTLs of its policies, before anything is done", async () => {
    const made = authority();
    await made.root();
    await made.role("web");
    const policy = `path "pki/issue/web" {
      capabilities = ["update"]
      allowed_parameters = { common_name = ["*.good.test"] "*" = [] }
      denied_parameters = { ttl = [] }
      required_parameters = ["common_name"]
    }
    path "pki/issue/wrapped" { capabilities = ["update"] min_wrapping_ttl = "1m" max_wrapping_ttl = "1h" }`;
    await made.role("wrapped");
    await made.call("PUT", "sys/policies/acl/web", { policy });
    const { token } = await tokensOf(made)(["web"]);
    const issue = async (role: string, body: object, header: Record<string, string> = {}) =>
      (await made.call("POST", `pki/issue/${role}`, body, { token, header })).status;
    expect(await issue("web", { common_name: "a.good.test" })).toBe(200);
    expect(await issue("web", { common_name: "evil.test" })).toBe(403);
    expect(await issue("web", { common_name: "a.good.test", ttl: "1h" })).toBe(403);
    expect(await issue("web", {})).toBe(403);
    const wrapped = (ttl: string) =>
      issue("wrapped", { common_name: "a" }, { "x-vault-wrap-ttl": ttl });
    expect([await wrapped("30s"), await wrapped("1m"), await wrapped("2h")]).toEqual([
      403, 200, 403,
    ]);
    expect(await issue("wrapped", { common_name: "a" })).toBe(403);
    expect((await made.pki.listCerts({})).keys.length).toBe(3);
  });

  it("has no access without existing policies, and none with an unreadable policy", async () => {
    const made = authority();
    const { token } = await tokensOf(made)(["none", "broken"]);
    const may = () => made.call("GET", "sys/mounts", undefined, { token });
    expect((await may()).status).toBe(403);
    const sys = made.stores?.("sys");
    await sys?.commit({ put: [["policy/broken", { text: "path", modified: 0 }]] });
    await sys?.commit({ put: [["policy/none", { text: read("sys/mounts"), modified: 0 }]] });
    made.clock.advance(1);
    const answer = await may();
    expect([answer.status, answer.errors]).toEqual([
      500,
      ["the stored policy broken is damaged and cannot be parsed; write it again"],
    ]);
  });
});
