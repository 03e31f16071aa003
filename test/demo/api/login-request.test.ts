import { expect, it } from "vitest";
import { loginRequest } from "../../../demo/api/login-request.ts";

it("a login request uses the path of its method, and a user name cannot change the path", () => {
  expect(
    loginRequest({
      token: "",
      at: "",
      way: "userpass",
      values: { username: " ../token/create ", password: " with space " },
    }),
  ).toEqual({
    verb: "POST",
    access: "open",
    path: "auth/userpass/login/..%2Ftoken%2Fcreate",
    body: { password: " with space " },
  });
  expect(
    loginRequest({
      token: "",
      way: "jwt",
      at: "/auth/ci/build/",
      values: { role: "", jwt: " a.b.c\n" },
    }),
  ).toEqual({ verb: "POST", access: "open", path: "auth/ci/build/login", body: { jwt: "a.b.c" } });
});

it("signing in with a token or at an identity provider needs no login request", () => {
  const values = { role: "dev", jwt: "a.b.c" };
  expect(loginRequest({ token: "t", at: "", way: "token", values })).toBeUndefined();
  expect(loginRequest({ token: "", at: "", way: "oidc", values })).toBeUndefined();
});
