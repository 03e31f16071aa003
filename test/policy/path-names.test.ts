import { describe, expect, it } from "vitest";
import { tokenWorld, type TokenWorld } from "../auth/token/world.ts";

const methods = { up: "userpass", ar: "approle", ce: "cert", jw: "jwt", ku: "kubernetes" } as const;
/** Creates an authority with a root, a role, and a login method of each type. */
async function world(): Promise<TokenWorld & { readonly issuer: string; readonly key: string }> {
  const made = tokenWorld();
  const { issuer_id, key_id } = await made.root();
  await made.role("any", { ttl: "1h" });
  for (const [path, type] of Object.entries(methods)) {
    const enabled = await made.post(`sys/auth/${path}`, { type });
    expect(enabled.status).toBe(204);
  }
  return { ...made, issuer: issuer_id, key: key_id };
}
const capabilities = '["create", "read", "update", "patch", "delete", "list", "sudo"]';
/** Creates a token that may do everything below one pattern, and nothing on another. */
async function denied({ post, create }: TokenWorld, grant: string, deny: string) {
  const policy = `path "${grant}" { capabilities = ${capabilities} }
    path "${deny}" { capabilities = ["deny"] }`;
  expect((await post("sys/policies/acl/mine", { policy })).status).toBe(204);
  return (await create({ policies: ["mine"], no_default_policy: true })).client_token;
}
const capability = { GET: "read", POST: "update", PATCH: "patch", DELETE: "delete", LIST: "list" };
/** Returns the result of a request, and of the endpoints that explain policies. */
async function judged(
  it: TokenWorld,
  token: string,
  method: keyof typeof capability,
  path: string,
) {
  const { status } = await it.call(method, path, method === "GET" ? undefined : {}, { token });
  const told = await it.post("sys/capabilities", { token, path });
  const tested = await it.post("sys/policies/test", {
    token,
    path,
    capability: capability[method],
  });
  return {
    granted: status !== 403,
    capabilities: (told.data["capabilities"] as readonly string[]).join(),
    tested: tested.data["granted"],
  };
}
const refused = { granted: false, capabilities: "deny", tested: false };
const granted = { granted: true, capabilities: expect.stringContaining("update"), tested: true };

/** Paths with `@` in place of a name, with a method and a pattern that grants them. */
const caseless = [
  ["POST", "auth/up/users/@", "auth/up/users/*"],
  ["POST", "auth/up/users/@/password", "auth/up/*"],
  ["POST", "auth/up/users/@/policies", "auth/up/*"],
  ["GET", "auth/up/users/@", "auth/*"],
  ["DELETE", "auth/up/users/@", "auth/*"],
  ["POST", "auth/ar/role/@", "auth/ar/role/*"],
  ["POST", "auth/ar/role/@/policies", "auth/ar/*"],
  ["POST", "auth/ar/role/@/secret-id", "auth/ar/*"],
  ["LIST", "auth/ar/role/@/secret-id", "auth/ar/*"],
  ["GET", "auth/ar/role/@/role-id", "auth/ar/*"],
  ["GET", "auth/ce/certs/@", "auth/ce/certs/*"],
  ["POST", "auth/jw/role/@", "auth/jw/*"],
  ["GET", "auth/ku/role/@", "auth/+/role/+"],
  ["POST", "identity/entity/name/@", "identity/*"],
  ["GET", "identity/group/name/@", "identity/+/name/+"],
  ["POST", "sys/locked-users/acc/unlock/@", "sys/locked-users/*"],
  ["POST", "sys/policies/acl/@", "sys/*"],
  ["GET", "sys/policy/@", "sys/*"],
] as const;

describe("a policy on a case-insensitive name", () => {
  it.each(caseless)("denies it in upper and lower case: %s %s", async (method, path, grant) => {
    const it = await world();
    const at = (name: string) => path.replace("@", name);
    for (const written of ["Admin", "admin", "ADMIN"]) {
      const token = await denied(it, grant, at(written));
      for (const sent of ["Admin", "admin"])
        expect([written, sent, await judged(it, token, method, at(sent))]).toEqual([
          written,
          sent,
          refused,
        ]);
      const escaped = await it.call(method, at("%41dmin"), undefined, { token });
      expect([written, escaped.status]).toEqual([written, 403]);
      expect(await judged(it, token, method, at("other"))).toMatchObject({ granted: true });
    }
  });

  // a list uses the path with a slash, so a pattern with wildcards has to end with one
  const others = caseless.filter(([method]) => method !== "LIST");
  it.each(others)("denies it with a prefix or next to wildcards: %s %s", async (method, path) => {
    const it = await world();
    const [head = "", rest = ""] = path.split("@");
    const segments = head.split("/");
    const patterns = [
      `${head}Adm*`,
      `${segments.with(1, "+").join("/")}Admin${rest}`,
      `+/${segments.slice(1).join("/")}ADMIN${rest}`,
    ];
    for (const pattern of patterns) {
      const token = await denied(it, "*", pattern);
      const capabilities = pattern.endsWith("*") ? "deny" : "list";
      expect([pattern, await judged(it, token, method, `${head}admin${rest}`)]).toEqual([
        pattern,
        { ...refused, capabilities },
      ]);
    }
  });

  it("grants it in upper and lower case", async () => {
    const it = await world();
    for (const pattern of ["auth/up/users/Boss", "auth/+/users/BOSS", "auth/up/users/Bo*"]) {
      const token = await denied(it, pattern, "none");
      for (const sent of ["boss", "Boss"])
        expect([pattern, await judged(it, token, "POST", `auth/up/users/${sent}`)]).toEqual([
          pattern,
          granted,
        ]);
      expect(await judged(it, token, "POST", "auth/up/users/other")).toEqual(refused);
    }
  });

  it("combines rules on two forms of the name, and checks the parameters of both", async () => {
    const it = await world();
    const policy = `path "auth/up/users/Boss" { capabilities = ["update"] }
      path "auth/up/users/boss" { capabilities = ["update"] denied_parameters = { "token_policies" = ["admin"] } }`;
    await it.post("sys/policies/acl/mine", { policy });
    const { client_token: token } = await it.create({ policies: ["mine"] });
    const body = { password: "long enough" };
    const path = "auth/up/users/BOSS";
    expect((await it.post(path, { ...body, token_policies: "admin" }, token)).status).toBe(403);
    expect((await it.post(path, { ...body, token_policies: "web" }, token)).status).toBe(204);
    const parameters = { token_policies: "admin" };
    const tested = await it.post("sys/policies/test", { token, path, parameters });
    expect(tested.data).toMatchObject({ granted: false, pattern: expect.stringMatching(/boss/i) });
  });

  it("does not apply to case-sensitive names, mounts and path segments", async () => {
    const it = await world();
    await it.post("sys/auth/Up", { type: "userpass" });
    const upper = await denied(it, "auth/*", "auth/Up/users/boss");
    expect(await judged(it, upper, "POST", "auth/up/users/boss")).toEqual(granted);
    expect(await judged(it, upper, "POST", "auth/Up/users/Boss")).toEqual(refused);
    for (const [deny, other] of [
      ["auth/token/roles/Web", "auth/token/roles/web"],
      ["pki/roles/Web", "pki/roles/web"],
      ["sys/quotas/rate-limit/Web", "sys/quotas/rate-limit/web"],
    ] as const) {
      const token = await denied(it, "*", deny);
      expect([other, await judged(it, token, "POST", other)]).toEqual([other, granted]);
      expect([deny, await judged(it, token, "POST", deny)]).toEqual([deny, refused]);
    }
  });
});

describe("a policy on an issuer or key reference", () => {
  const paths = [
    ["POST", "pki/issuer/@/issue/any"],
    ["POST", "pki/issuer/@/explain/issue/any"],
    ["POST", "pki/issuer/@/sign/any"],
    ["POST", "pki/issuer/@/sign-verbatim/any"],
    ["POST", "pki/issuer/@/sign-intermediate"],
    ["POST", "pki/issuer/@/sign-self-issued"],
    ["POST", "pki/issuer/@/external-policy/issue"],
    ["POST", "pki/issuer/@/sign-revocation-list"],
    ["POST", "pki/issuer/@/acme/new-eab"],
    ["POST", "pki/issuer/@/roles/any/acme/new-eab"],
    ["POST", "pki/issuer/@/revoke"],
    ["GET", "pki/issuer/@/ocsp-responder"],
    ["GET", "pki/issuer/@"],
    ["POST", "pki/issuer/@"],
    ["DELETE", "pki/issuer/@"],
  ] as const;
  it.each(paths)(
    "denies `default` and ids in upper and lower case: %s %s",
    async (method, path) => {
      const it = await world();
      const at = (name: string) => path.replace("@", name);
      const judgedAt = at("").includes("/explain/")
        ? (name: string) => at(name).replace("/explain", "")
        : at;
      for (const name of ["default", it.issuer])
        for (const written of [name, name.toUpperCase()]) {
          const token = await denied(it, "pki/*", judgedAt(written));
          for (const sent of [
            name,
            name.toUpperCase(),
            `${name.slice(0, 3).toUpperCase()}${name.slice(3)}`,
          ])
            expect([written, sent, await judged(it, token, method, at(sent))]).toEqual([
              written,
              sent,
              refused,
            ]);
        }
    },
  );

  it("denies keys in the same way, also by a prefix of an id", async () => {
    const it = await world();
    const deny = [it.key, it.key.toUpperCase(), `${it.key.slice(0, 9).toUpperCase()}*`];
    for (const written of deny) {
      const token = await denied(it, "pki/key/*", `pki/key/${written}`);
      for (const method of ["GET", "POST", "DELETE"] as const)
        for (const sent of [it.key, it.key.toUpperCase()])
          expect([written, sent, await judged(it, token, method, `pki/key/${sent}`)]).toEqual([
            written,
            sent,
            refused,
          ]);
    }
  });

  it("compares issuer names case-sensitively, as they are resolved", async () => {
    const it = await world();
    await it.post(`pki/issuer/${it.issuer}`, { issuer_name: "Main" });
    const token = await denied(it, "pki/issuer/*", "pki/issuer/Ma*");
    expect(await judged(it, token, "GET", "pki/issuer/Main")).toMatchObject(refused);
    // this issuer does not exist
    expect(await judged(it, token, "GET", "pki/issuer/main")).toMatchObject({ granted: true });
  });

  it("denies certificate metadata by serial number in every form", async () => {
    const it = await world();
    const issued = await it.post("pki/issue/any", { common_name: "a.test", metadata: "aGVsbG8=" });
    const serial = String(issued.data["serial_number"]);
    const bare = serial.replaceAll(":", "");
    const spelled = [serial, serial.toUpperCase(), serial.replaceAll(":", "-"), bare.toUpperCase()];
    for (const written of [...spelled, `${bare.slice(0, 7).toUpperCase()}*`]) {
      const token = await denied(it, "pki/cert-metadata/*", `pki/cert-metadata/${written}`);
      for (const sent of spelled)
        expect([
          written,
          sent,
          await judged(it, token, "GET", `pki/cert-metadata/${sent}`),
        ]).toEqual([written, sent, refused]);
    }
  });
});
