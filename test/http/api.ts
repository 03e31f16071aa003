import { request } from "node:http";
import { afterEach, expect } from "vitest";
import type { RunningServer } from "../support/server.ts";

declare module "vitest" {
  interface TaskMeta {
    /** Log events of the test: `<endpoint> <status> <refusal or ->`, each once. */
    events?: string[];
  }
}

/** A response with its body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON document, if the response is one. */
  readonly json: Record<string, unknown>;
  /** Its member `data`, with strings where tests do not look deeper. */
  readonly data: Record<string, string> &
    Record<"keys" | "ca_chain" | "imported_issuers", string[]>;
}

/** Differences of a call from the documented dialect with the root token. */
export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the token in another header, or none. */
  readonly token?: "X-Vault-Token" | "Authorization" | "none";
}

/**
 * Calls one server as a client of the documented dialect. `body`: sent as JSON, or unchanged if it
 * is text.
 */
export type Api = (
  method: string,
  path: string,
  body?: unknown,
  options?: CallOptions,
) => Promise<Answer>;

/** Returns the API below `/v1` of a server. */
export function apiOf({ url, token }: Pick<RunningServer, "url" | "token">): Api {
  const tokens = {
    "X-Vault-Token": { "X-Vault-Token": token },
    Authorization: { Authorization: `Bearer ${token}` },
    none: {},
  };
  return async (method, path, body, options = {}) => {
    const headers = {
      ...(options.token ? tokens[options.token] : { "X-Service-Token": token }),
      ...options.headers,
    };
    const sent =
      body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const answer = await fetch(`${url}/v1/${path}`, {
      method,
      headers,
      redirect: "manual",
      ...sent,
    });
    const text = await answer.text();
    const json =
      text !== "" && answer.headers.get("content-type")?.includes("json") ? JSON.parse(text) : {};
    return { status: answer.status, headers: answer.headers, text, json, data: json.data };
  };
}

/** Sends a path unchanged, which `fetch` would normalize. */
export function rawPath(
  server: RunningServer,
  method: string,
  path: string,
  body = "",
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { "X-Service-Token": server.token, "Content-Length": Buffer.byteLength(body) };
    const call = request(server.url, { method, path, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    call.on("error", reject).end(body);
  });
}

/** Creates a root and the role `web` for names below example.com, with EC keys. */
export async function makeAuthority(api: Api, mount = "pki"): Promise<{ readonly root: string }> {
  const root = await api("POST", `${mount}/root/generate/internal`, {
    common_name: "Test Root",
    key_type: "ec",
    ttl: "87600h",
  });
  expect(root.status, root.text).toBe(200);
  const role = await api("POST", `${mount}/roles/web`, {
    allowed_domains: "example.com",
    allow_subdomains: true,
    key_type: "ec",
  });
  expect(role.status, role.text).toBe(200);
  return { root: root.data["certificate"] ?? "" };
}

/** Returns the JSON lines printed by a server with LOG=json. */
export function logLines(output: string): readonly {
  readonly endpoint: string;
  readonly status: number;
  readonly refusal?: string;
  readonly [name: string]: unknown;
}[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith('{"endpoint"'))
    .map((line) => JSON.parse(line));
}

/**
 * Returns the length of the log once it contains everything requested so far. A response and its
 * log line arrive on different pipes, but lines keep their order: when the line of one more request
 * is there, all others are.
 */
async function endOfLog(running: RunningServer): Promise<number> {
  const last = await fetch(`${running.url}/v1/sys/none`).catch(() => undefined);
  const id = last?.headers.get("x-request-id");
  if (id) await expect.poll(() => running.output(), { interval: 5 }).toContain(id);
  return running.output().lastIndexOf("\n") + 1;
}

/** After each test, records in `meta.events` what the server logged during it. */
export function noteEvents(server: () => RunningServer | undefined): void {
  let from = 0;
  afterEach(async ({ task }) => {
    const running = server();
    if (!running) return;
    const end = await endOfLog(running);
    const lines = logLines(running.output().slice(from, end));
    from = end;
    const seen = lines.map(
      ({ endpoint, status, refusal }) => `${endpoint} ${status} ${refusal ?? "-"}`,
    );
    task.meta.events = [...new Set([...(task.meta.events ?? []), ...seen])];
  });
}
