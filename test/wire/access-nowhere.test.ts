import { expect, it } from "vitest";
import { authority } from "../support/authority.ts";

const nowhere = [
  ["GET", "nosuch/thing", 404],
  ["GET", "sys/nosuch", 404],
  ["POST", "sys/nosuch/file", 404],
  ["LIST", "pki/nosuch", 404],
  ["GET", "auth/nosuch/role/x", 404],
  ["PATCH", "pki/certs", 405],
  ["GET", "nosuch/thing/", 404],
  ["GET", "nosuch/thing?help=1", 404],
] as const;

it.for(nowhere)(
  "a token without rights does not learn that a path leads nowhere: %s %s",
  async ([method, path, status]) => {
    const a = authority();
    await a.root();
    const body = method === "POST" || method === "PATCH" ? {} : undefined;
    const ask = async (token: string, compat = false) =>
      (await a.call(method, path, body, { token, compat })).status;
    const made = await a.call("POST", "auth/token/create", {
      no_default_policy: true,
      policies: ["x"],
    });
    const { client_token: bare } = made.json["auth"] as { readonly client_token: string };
    for (const compat of [false, true]) {
      expect(await ask(bare, compat)).toBe(403);
      expect(await ask("unknown", compat)).toBe(403);
      expect(await ask("root", compat)).toBe(status);
    }
    // clients of public addresses have no token, and learn that theirs is wrong
    expect(await ask("")).toBe(status);
    const { status: refused, errors } = await a.call("GET", "sys/mounts", undefined, {
      token: bare,
    });
    expect([refused, errors]).toEqual([
      403,
      (await a.call(method, path, body, { token: bare })).errors,
    ]);
  },
);
