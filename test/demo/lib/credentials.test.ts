import { expect, it } from "vitest";
import {
  explainLoginError,
  signInTabs,
  usesProvider,
  wrongCredentials,
  type Credentials,
} from "../../../demo/lib/credentials.ts";

const token: Credentials = { way: "token", at: "", token: "", values: {} };

it("a missing value is reported at its field, and a method path that leads elsewhere is rejected", () => {
  expect(wrongCredentials(token, true)).toHaveProperty("token");
  expect(wrongCredentials(token, false)).toEqual({});
  expect(Object.keys(wrongCredentials({ ...token, way: "approle", at: "../sys" }, true))).toEqual([
    "at",
    "role_id",
    "secret_id",
  ]);
  expect(wrongCredentials({ ...token, way: "jwt", values: { jwt: "a.b.c" } }, true)).toEqual({});
  expect(wrongCredentials({ ...token, way: "oidc" }, true)).toEqual({});
});

it("a sign-in with a method of type jwt starts at the identity provider unless a JWT is entered", () => {
  expect(usesProvider({ way: "jwt", values: { role: "dev", jwt: " " } })).toBe(true);
  expect(usesProvider({ way: "jwt", values: { jwt: "a.b.c" } })).toBe(false);
  expect(usesProvider({ way: "userpass", values: {} })).toBe(false);
});

it.each([
  [
    "userpass",
    400,
    "invalid username or password",
    "The user name or the password is wrong. Several failures lock a user for a while.",
  ],
  ["approle", 400, "invalid role or secret ID", "The role ID or the secret ID is wrong"],
  ["approle", 403, "permission denied", "This server has no login method at auth/approle."],
  ["jwt", 400, "missing role", undefined],
] as const)("a rejected login with %s is explained: %i %s", (way, status, message, text) => {
  const call = `POST /v1/auth/${way}/login`;
  const told = explainLoginError({ status, message, call }, { way, at: "" });
  expect(told?.slice(0, text?.length)).toBe(text);
  const other = { status, message, call: "GET /v1/pki/issuers" };
  expect(explainLoginError(other, { way, at: "" })).toBeUndefined();
});

it("the sign-in offers the methods that the server lists first, then the other types", () => {
  const titles = (listed: Parameters<typeof signInTabs>[0]) =>
    signInTabs(listed).map(({ title, at }) => `${title} ${at}`.trim());
  expect(titles([])).toEqual(["Token", "User name", "Single sign-on", "AppRole", "JWT"]);
  expect(
    titles([
      { way: "oidc", at: "corp", description: "Company account" },
      { way: "userpass", at: "a", description: "" },
      { way: "userpass", at: "b", description: "" },
    ]),
  ).toEqual([
    "User name (auth/a) a",
    "User name (auth/b) b",
    "Company account corp",
    "Token",
    "AppRole",
    "JWT",
  ]);
});
