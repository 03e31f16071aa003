import {
  memoryStore,
  sealedVault,
  type Capability,
  type Identity,
  type LogEvent,
} from "../../src/index.ts";
import type { Ports } from "../../src/engine/ports.ts";
import type { Mount } from "../../src/engine/mount.ts";
import { Mounts } from "../../src/engine/mounts.ts";
import { mountTypes } from "../../src/endpoints.ts";
import { engineApi } from "../../src/v1/api.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { serveHttp, type HttpOptions } from "../../src/wire/http.ts";
import { seeded, start } from "../support/authority.ts";

/** The parts of a response that tests check. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
}
/** A permission check that an access policy received. */
export type Asked = readonly [capability: Capability, path: string];
/** A mount `pki` with the endpoints of a test. */
export interface Bench {
  readonly events: LogEvent[];
  readonly asked: Asked[];
  fetch(
    method: string,
    path: string,
    init?: RequestInit & { readonly options?: HttpOptions },
  ): Promise<Seen>;
}

/** Serves `endpoints` on the mount `pki`. Every token except `bad` is valid, and `can` authorizes. */
export function bench(
  endpoints: readonly AnyEndpoint<Mount>[],
  { can = () => true, ...given }: Partial<Ports> & { readonly can?: Identity["can"] } = {},
): Bench {
  const events: LogEvent[] = [];
  const asked: Asked[] = [];
  const random = seeded(1);
  const identity: Identity = {
    id: "tester",
    can: (capability, path) => {
      asked.push([capability, path]);
      return can(capability, path);
    },
  };
  const ports: Ports = {
    stores: memoryStore(),
    vault: sealedVault({ key: new Uint8Array(32), random }),
    now: () => start,
    random,
    authenticate: async (token) => (token === "bad" ? undefined : identity),
    log: (event) => void events.push(event),
    ...given,
  };
  const deployment = new Mounts(ports, { types: Object.values(mountTypes), jobs: [] });
  const none = { endpoints: [] };
  const api = engineApi({
    mounts: { pki: { endpoints, parameters: mountTypes.pki.parameters } },
    methods: {},
    sys: none,
    auth: none,
    identity: none,
    cubbyhole: none,
  });
  return {
    events,
    asked,
    fetch: async (method, path, { options, headers, ...init } = {}) => {
      const request = new Request(`http://ca.test${path}`, {
        method,
        headers: { "x-service-token": "good", ...(headers as Record<string, string>) },
        ...init,
      });
      return seen(await serveHttp({ deployment, api }, request, options));
    },
  };
}

async function seen(response: Response): Promise<Seen> {
  const text = await response.text();
  const json = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: response.status, headers: response.headers, text, json };
}

/** Returns the body and media type of a write request. */
export const jsonBody = (
  value: unknown,
): { readonly body: string; readonly headers: Record<string, string> } => ({
  body: typeof value === "string" ? value : JSON.stringify(value),
  headers: { "content-type": "application/json" },
});
