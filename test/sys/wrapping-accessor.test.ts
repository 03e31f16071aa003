import { expect, it } from "vitest";
import { clockAt, start } from "../support/authority.ts";
import {
  invalid,
  rowsOf,
  seen,
  unwrap,
  withRole,
  wrapped,
  wrappedIssue,
} from "../support/wrapping.ts";

const invalidAccessor = ["invalid accessor"];

it("auth/token/revoke-accessor (revokeAccessor) deletes the reply behind a wrapping token, and no other", async () => {
  const a = await withRole();
  const revoke = (accessor: string) => a.call("POST", "auth/token/revoke-accessor", { accessor });
  const [one, other] = [await wrappedIssue(a), await wrappedIssue(a)];
  expect((await revoke(one.accessor)).status).toBe(204);
  expect(seen(await unwrap(a, one.token))).toEqual(invalid);
  expect((await rowsOf(a)).filter((key) => key.startsWith("wrapped/"))).toHaveLength(1);
  expect(seen(await revoke(one.accessor))).toEqual([200, []]);
  expect((await unwrap(a, other.token)).status).toBe(200);
  expect(seen(await revoke(other.accessor))).toEqual([200, []]);
});

it("auth/token/lookup-accessor (lookupAccessor) returns a wrapping token's data without using it", async () => {
  const clock = clockAt(start);
  const a = await withRole({ clock });
  const look = (accessor: string) => a.call("POST", "auth/token/lookup-accessor", { accessor });
  const { accessor, token } = await wrappedIssue(a);
  clock.advance(20);
  const answer = await look(accessor);
  expect([answer.status, answer.data]).toEqual([
    200,
    expect.objectContaining({
      id: "",
      accessor,
      policies: ["response-wrapping"],
      path: "pki/issue/web",
      type: "service",
      creation_time: Math.floor(start / 1000),
      creation_ttl: 60,
      explicit_max_ttl: 60,
      ttl: 40,
      num_uses: 1,
      orphan: true,
      renewable: false,
      meta: null,
    }),
  ]);
  expect(JSON.stringify(answer.data)).not.toContain(token.slice(5));
  expect((await unwrap(a, token)).status).toBe(200);
  expect(seen(await look(accessor))).toEqual([400, invalidAccessor]);
});

it("the accessor of a rewrapped or expired wrapping token is unknown, and that of its successor is valid", async () => {
  const clock = clockAt(start);
  const a = await withRole({ clock });
  const look = async (accessor: string) =>
    (await a.call("POST", "auth/token/lookup-accessor", { accessor })).status;
  const first = await wrapped(a, "GET", "pki/roles/web");
  const again = await a.call("POST", "sys/wrapping/rewrap", { token: first.token });
  const next = again.json["wrap_info"] as { readonly accessor: string; readonly token: string };
  expect([await look(first.accessor), await look(next.accessor)]).toEqual([400, 200]);
  clock.advance(60);
  expect(await look(next.accessor)).toBe(400);
  const revoked = await a.call("POST", "auth/token/revoke-accessor", { accessor: next.accessor });
  expect(seen(revoked)).toEqual([200, []]);
});

it.each(["", "x", "a".repeat(24), "-".repeat(24), "../wrapped/".padEnd(24, "a"), "é".repeat(24)])(
  "the text %j is not an accessor",
  async (accessor) => {
    const a = await withRole();
    await wrappedIssue(a);
    const answers = ["lookup-accessor", "revoke-accessor"].map((path) =>
      a.call("POST", `auth/token/${path}`, { accessor }),
    );
    const [looked, revoked] = (await Promise.all(answers)).map(seen);
    const missing = [400, ["missing accessor"]];
    expect(looked).toEqual(accessor === "" ? missing : [400, invalidAccessor]);
    expect(revoked).toEqual(accessor === "" ? missing : [200, []]);
    expect((await rowsOf(a)).filter((key) => key.startsWith("wrapped/"))).toHaveLength(1);
  },
);

it("a wrapped AppRole secret ID returns its accessor, also after rewrapping, and GET sys/wrapping/lookup returns its origin", async () => {
  const a = await withRole();
  await a.call("POST", "sys/auth/approle", { type: "approle" });
  await a.call("POST", "auth/approle/role/r", {});
  const header = { "x-vault-wrap-ttl": "60" };
  const { json } = await a.call("POST", "auth/approle/role/r/secret-id", {}, { header });
  // every wrapped reply has `wrap_info`
  type Info = Readonly<Record<"token" | "wrapped_accessor", string>>;
  const { token, wrapped_accessor } = json["wrap_info"] as Info;
  const ownHeader = { token: "", header: { "x-vault-token": token } };
  const looked = await a.call("GET", "sys/wrapping/lookup", undefined, ownHeader);
  expect([looked.status, looked.data]).toEqual([
    200,
    expect.objectContaining({ creation_path: "auth/approle/role/r/secret-id", creation_ttl: 60 }),
  ]);
  const again = await a.call("POST", "sys/wrapping/rewrap", { token });
  const info = again.json["wrap_info"] as Info;
  expect(info.wrapped_accessor).toBe(wrapped_accessor);
  const { data } = await unwrap(a, info.token);
  expect(data["secret_id_accessor"]).toBe(wrapped_accessor);
  const other = await a.call("GET", "pki/config/urls", undefined, { header });
  expect(other.json["wrap_info"]).not.toHaveProperty("wrapped_accessor");
});
