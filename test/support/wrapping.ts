import { expect } from "vitest";
import {
  authority,
  type Answer,
  type Authority,
  type AuthorityOptions,
  type Sent,
} from "./authority.ts";

/** Creates an authority with a root and the role `web`. */
export async function withRole(options: AuthorityOptions = {}): Promise<Authority> {
  const a = authority(options);
  await a.root();
  await a.role("web");
  return a;
}
/** The `wrap_info` of a wrapped reply. */
export interface Info {
  readonly token: string;
  readonly accessor: string;
  readonly ttl: number;
  readonly creation_time: string;
  readonly creation_path: string;
}
export const infoOf = (answer: Answer): Info => {
  expect([answer.status, answer.errors, answer.json["data"]]).toEqual([200, [], null]);
  return answer.json["wrap_info"] as Info;
};
/** Sends a request whose reply is wrapped for `ttl`. */
export const wrapped = async (
  a: Authority,
  method: string,
  path: string,
  body?: unknown,
  ttl = "60",
  sent: Sent = {},
): Promise<Info> =>
  infoOf(
    await a.call(method, path, body, {
      ...sent,
      header: { "x-service-wrap-ttl": ttl, ...sent.header },
    }),
  );
/** Issues a certificate with its key, wrapped. */
export const wrappedIssue = (a: Authority, body: object = {}, sent: Sent = {}): Promise<Info> =>
  wrapped(a, "POST", "pki/issue/web", { common_name: "a.test", ...body }, "60", sent);
/** Unwraps with the token in the body, without any other token. */
export const unwrap = (a: Authority, token: unknown, sent: Sent = { token: "" }): Promise<Answer> =>
  a.call("PUT", "sys/wrapping/unwrap", token === undefined ? undefined : { token }, sent);
export const invalid = [400, ["wrapping token is not valid or does not exist"]];
export const seen = ({ status, errors }: Answer): readonly unknown[] => [status, errors];
/** Returns the keys of the rows that wrapping has left in the system's store. */
export const rowsOf = async (a: Authority): Promise<readonly string[]> =>
  [...(await a.stores("sys").list("wrapped/")), ...(await a.stores("sys").list("job/"))].map(
    ([key]) => key,
  );
