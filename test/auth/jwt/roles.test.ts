import { describe, expect, it } from "vitest";
import { authority } from "../../support/authority.ts";

const prepared = async () => {
  const a = authority();
  await a.call("POST", "sys/auth/jwt", { type: "jwt" });
  return a;
};
const minimalRole = { user_claim: "sub", bound_audiences: ["ca"] };

describe("a JWT role", () => {
  it("(writeJwtRole, readJwtRole, listJwtRoles, deleteJwtRole) is created, updated field by field, listed and deleted", async () => {
    const a = await prepared();
    expect((await a.call("LIST", "auth/jwt/role")).status).toBe(404);
    expect((await a.call("POST", "auth/jwt/role/Web", minimalRole)).status).toBe(204);
    await a.call("POST", "auth/jwt/role/web", {
      role_type: "jwt",
      bound_claims: { "/team/name": ["a", "b"] },
      clock_skew_leeway: -1,
      token_policies: "Web",
      token_ttl: "1h",
    });
    expect((await a.call("GET", "auth/jwt/role/WEB")).data).toEqual({
      role_type: "jwt",
      user_claim: "sub",
      user_claim_json_pointer: false,
      bound_audiences: ["ca"],
      bound_subject: "",
      bound_claims: { "/team/name": ["a", "b"] },
      bound_claims_type: "string",
      groups_claim: "",
      claim_mappings: {},
      expiration_leeway: 0,
      not_before_leeway: 0,
      clock_skew_leeway: -1,
      max_age: 0,
      oidc_scopes: [],
      allowed_redirect_uris: [],
      verbose_oidc_logging: false,
      token_ttl: 3600,
      token_max_ttl: 0,
      token_explicit_max_ttl: 0,
      token_period: 0,
      token_policies: ["web"],
      token_bound_cidrs: [],
      token_no_default_policy: false,
      token_num_uses: 0,
      token_type: "default",
      alias_metadata: {},
    });
    expect((await a.call("LIST", "auth/jwt/role")).data).toEqual({ keys: ["web"] });
    expect((await a.call("DELETE", "auth/jwt/role/web")).status).toBe(204);
    expect((await a.call("GET", "auth/jwt/role/web")).status).toBe(404);
  });

  it("gets the type oidc if it is created with redirect URIs; later its type changes only on request", async () => {
    const a = await prepared();
    const uris = { allowed_redirect_uris: "https://ca.example/demo/,http://127.0.0.1/callback" };
    const typeOf = async (name: string, body: object) => {
      const written = await a.call("POST", `auth/jwt/role/${name}`, body);
      expect(written.errors).toEqual([]);
      return (await a.call("GET", `auth/jwt/role/${name}`)).data["role_type"];
    };
    expect(await typeOf("person", { user_claim: "sub", ...uris })).toBe("oidc");
    expect(await typeOf("person", { token_ttl: "1h" })).toBe("oidc");
    expect(await typeOf("machine", minimalRole)).toBe("jwt");
    expect(await typeOf("machine", uris)).toBe("jwt");
    expect(await typeOf("machine", { role_type: "oidc" })).toBe("oidc");
  });

  it("treats empty strings, which typed clients send, as the defaults", async () => {
    const a = await prepared();
    await a.call("POST", "auth/jwt/role/web", { ...minimalRole, bound_claims_type: "glob" });
    const empty = { role_type: "", bound_claims_type: "", token_type: "" };
    expect((await a.call("POST", "auth/jwt/role/web", empty)).errors).toEqual([]);
    expect((await a.call("GET", "auth/jwt/role/web")).data).toMatchObject({
      role_type: "jwt",
      bound_claims_type: "string",
      token_type: "default",
    });
  });

  it.each([
    [{ role_type: "oidc", ...minimalRole }, "'allowed_redirect_uris' must be set if"],
    [
      { user_claim: "sub", allowed_redirect_uris: ["https://ca.example/#x"] },
      'allowed_redirect_uris: "https://ca.example/#x" must not have a fragment',
    ],
    [
      { user_claim: "sub", allowed_redirect_uris: ["javascript:alert(1)"] },
      "must be an http or https URL",
    ],
    [{ role_type: "saml", ...minimalRole }, "invalid 'role_type'"],
    [{ bound_audiences: ["ca"] }, "a user claim must be defined on the role"],
    [{ user_claim: "sub" }, "must have at least one bound constraint"],
    [{ ...minimalRole, bound_claims_type: "regex" }, "invalid 'bound_claims_type'"],
    [{ ...minimalRole, bound_claims: { a: { b: 1 } } }, 'claim "a" must be a string'],
    [{ ...minimalRole, bound_claims: { a: [] } }, 'claim "a" has no value'],
    [
      { ...minimalRole, bound_claims: { a: 1 }, bound_claims_type: "glob" },
      'claim "a" must be a string',
    ],
    [{ ...minimalRole, claim_mappings: { a: "role" } }, 'metadata key "role" is reserved'],
    [{ ...minimalRole, claim_mappings: { a: "x", b: "x" } }, "multiple keys are mapped"],
    [{ ...minimalRole, claim_mappings: { a: 1 } }, "claim_mappings"],
    [{ ...minimalRole, token_policies: ["root"] }, "cannot create root tokens"],
  ])("is rejected and not stored if its settings are invalid: %#", async (body, text) => {
    const a = await prepared();
    const answer = await a.call("POST", "auth/jwt/role/web", body);
    expect([answer.status, answer.errors[0]]).toEqual([400, expect.stringContaining(text)]);
    expect((await a.call("LIST", "auth/jwt/role")).status).toBe(404);
  });
});
