import { authority, type Answer, type Sent } from "../../support/authority.ts";

/** The member `auth` of a reply. */
export interface Auth {
  readonly client_token: string;
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly lease_duration: number;
  readonly renewable: boolean;
  readonly orphan: boolean;
  readonly num_uses: number;
  readonly token_type: string;
  readonly [name: string]: unknown;
}
// every reply of these endpoints has this member
export const authOf = (answer: Answer): Auth => answer.json["auth"] as Auth;

/** Creates an authority with the root token `root`, and functions for tests of tokens. */
export function tokenWorld(options: Parameters<typeof authority>[0] = {}) {
  const known = authority({
    authenticate: async (token) =>
      token === "root" ? { id: "root", policies: ["root"], can: () => true } : undefined,
    ...options,
  });
  const post = (path: string, body: unknown = {}, token = "root", sent: Sent = {}) =>
    known.call("POST", path, body, { token, compat: true, ...sent });
  const create = async (body: unknown = {}, token = "root", at = "create"): Promise<Auth> => {
    const answer = await post(`auth/token/${at}`, body, token);
    if (answer.status !== 200) throw new TypeError(`not created: ${answer.text}`);
    return authOf(answer);
  };
  const self = (token: string) =>
    known.call("GET", "auth/token/lookup-self", undefined, { token, compat: true });
  const lives = async (token: string): Promise<boolean> => (await self(token)).status === 200;
  const rows = () => known.stores("sys").list("");
  return { ...known, post, create, self, lives, rows };
}
export type TokenWorld = ReturnType<typeof tokenWorld>;
