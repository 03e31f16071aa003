import { expect, it } from "vitest";
import { loginCall, noCredentials, wrongCredentials } from "../../../demo/lib/credentials.ts";

it("a login goes to the path of its method, and a user name cannot lead to another", () => {
  expect(
    loginCall({
      ...noCredentials,
      way: "userpass",
      values: { username: " ../token/create ", password: " with space " },
    }),
  ).toEqual({
    path: "auth/userpass/login/..%2Ftoken%2Fcreate",
    body: { password: " with space " },
  });
  expect(
    loginCall({
      ...noCredentials,
      way: "jwt",
      at: "/auth/ci/build/",
      values: { role: "", jwt: " a.b.c\n" },
    }),
  ).toEqual({ path: "auth/ci/build/login", body: { jwt: "a.b.c" } });
});

it("what is missing is told at its field, and a path that leads elsewhere is refused", () => {
  expect(wrongCredentials(noCredentials, true)).toHaveProperty("token");
  expect(wrongCredentials(noCredentials, false)).toEqual({});
  expect(
    Object.keys(wrongCredentials({ ...noCredentials, way: "approle", at: "../sys" }, true)),
  ).toEqual(["at", "role_id", "secret_id"]);
  expect(
    wrongCredentials({ ...noCredentials, way: "jwt", values: { jwt: "a.b.c" } }, true),
  ).toEqual({});
});
