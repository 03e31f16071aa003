import { expect, it } from "vitest";
import { noCredentials, wrongCredentials } from "../../../demo/lib/credentials.ts";

it("a missing value is reported at its field, and a path that leads elsewhere is rejected", () => {
  expect(wrongCredentials(noCredentials, true)).toHaveProperty("token");
  expect(wrongCredentials(noCredentials, false)).toEqual({});
  expect(
    Object.keys(wrongCredentials({ ...noCredentials, way: "approle", at: "../sys" }, true)),
  ).toEqual(["at", "role_id", "secret_id"]);
  expect(
    wrongCredentials({ ...noCredentials, way: "jwt", values: { jwt: "a.b.c" } }, true),
  ).toEqual({});
});
