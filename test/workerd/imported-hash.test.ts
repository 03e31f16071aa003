import { expect, it } from "vitest";
import { apiOf, bound } from "./worker-fixture.ts";

it("a Worker accepts an imported bcrypt hash at the first login, and its own hash from then on", async () => {
  const api = apiOf(bound);
  const at = "/v1/auth/imported";
  await api("POST", "/v1/sys/auth/imported", { type: "userpass" });
  // the hash of "U*U", from the test vectors of crypt_blowfish
  const password_hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
  expect((await api("POST", `${at}/users/bob`, { password_hash })).status).toBe(204);
  const enter = async (password: string) =>
    (await api("POST", `${at}/login/bob`, { password })).status;
  expect([await enter("U*U*"), await enter("U*U"), await enter("U*U")]).toEqual([400, 200, 200]);
});
