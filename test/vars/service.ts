import { sealedVault } from "../../src/keys/sealed.ts";
import type { KeyVault, LogEvent, Ports, Stores } from "../../src/engine/ports.ts";
import { mountTypes } from "../../src/endpoints.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { Mounts } from "../../src/engine/mounts.ts";
import { varsApi, type VarsSettings } from "../../src/vars/index.ts";
import { serveHttp, type HttpOptions } from "../../src/wire/http.ts";
import { clockAt, record, seeded, type Clock } from "../support/authority.ts";

/** A response of the service, with its parsed document. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
  readonly data: Json;
}
/** JSON for tests: every member may be present. */
export interface Json {
  readonly [member: string]: Json;
}
/** Differences from a request of the first user with the media type of JSON:API. */
export interface Sent {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client's address, as reported by the platform. */
  readonly address?: string;
}
/** A variables API over a memory store. */
export interface Service {
  readonly system: Mounts;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly events: LogEvent[];
  call(method: string, path: string, body?: unknown, sent?: Sent): Promise<Answer>;
  /** Sends a request unchanged. */
  send(request: Request, options?: HttpOptions): Promise<Answer>;
}
export interface ServiceOptions extends VarsSettings {
  readonly stores?: Stores;
  readonly clock?: Clock;
  readonly seed?: number;
  readonly vault?: KeyVault;
}

/** The first user's token in every test. */
export const firstToken = "first-token-of-the-tests";
export const media = "application/vnd.api+json";

/** Creates a service. */
export function service(options: ServiceOptions = {}): Service {
  const { stores = memoryStore(), clock = clockAt(), seed = 1, vault, ...settings } = options;
  const random = seeded(seed);
  const events: LogEvent[] = [];
  const ports: Ports = {
    stores,
    random,
    now: () => clock.now,
    vault: vault ?? sealedVault({ key: new Uint8Array(32).fill(7), random }),
    authenticate: async (token) => (token === "root" ? { id: "root", can: () => true } : undefined),
    log: (event) => {
      events.push(event);
      record(event);
    },
  };
  const system = new Mounts(ports, {
    types: Object.values(mountTypes),
    jobs: [],
    secretOwners: [varsApi],
    features: { vars: { token: firstToken, ...settings } },
  });
  const send = async (request: Request, http?: HttpOptions) =>
    answerOf(await answered({ system }, request, http));
  const call = (method: string, path: string, body?: unknown, sent: Sent = {}) =>
    send(
      requestOf(method, path, body, sent),
      sent.address === undefined ? {} : { peer: { address: sent.address } },
    );
  return { system, stores, clock, events, call, send };
}
/** Returns the complete response of a service to a request. */
export const answered = (
  { system }: Pick<Service, "system">,
  request: Request,
  options?: HttpOptions,
): Promise<Response> => serveHttp({ deployment: system, api: varsApi }, request, options);

/**
 * Returns a request below `/api/v2`. A body other than a string is sent as JSON. An empty token is
 * not sent.
 */
export function requestOf(
  method: string,
  path: string,
  body: unknown,
  { token = firstToken, headers = {} }: Sent = {},
): Request {
  const sent = {
    ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "content-type": media }),
    ...headers,
  };
  return new Request(`http://ca.test${path.startsWith("/.well-known") ? "" : "/api/v2"}${path}`, {
    method,
    headers: sent,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}
async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const json = response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : {};
  return { status: response.status, headers: response.headers, text, json, data: json.data };
}

/** Creates a service with the organization `acme` and its workspace `demo`. */
export async function withWorkspace(
  options: ServiceOptions = {},
): Promise<Service & { readonly workspace: string; write(attributes: object): Promise<Answer> }> {
  const made = service(options);
  await made.call("POST", "/organizations", {
    data: { type: "organizations", attributes: { name: "acme", email: "a@example.com" } },
  });
  const { data } = await made.call("POST", "/organizations/acme/workspaces", {
    data: { type: "workspaces", attributes: { name: "demo" } },
  });
  const workspace = String(data["id"]);
  const write = (attributes: object) =>
    made.call(
      "POST",
      `/workspaces/${workspace}/vars`,
      varsDocument({ category: "terraform", ...attributes }),
    );
  return { ...made, workspace, write };
}
export const varsDocument = (attributes: object, more: object = {}) => ({
  data: { type: "vars", attributes, ...more },
});
/** Returns the errors of a response. */
export const errorsOf = (answer: Answer): unknown => answer.json["errors"];
