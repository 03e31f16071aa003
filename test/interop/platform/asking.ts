import type { RunningServer } from "../../support/server.ts";

/** A response of an authority. */
export interface Answered {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly auth?: Readonly<Record<string, unknown>> | null;
}

/** Calls an authority with its root token; throws unless the call succeeds. */
export const asking =
  ({ url, token }: RunningServer) =>
  async (method: string, path: string, body?: unknown): Promise<Answered> => {
    const answer = await fetch(`${url}/v1/${path}`, {
      method,
      headers: { "X-Vault-Token": token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? {} : JSON.parse(text);
  };
