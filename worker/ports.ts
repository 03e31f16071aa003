import { sealwrightWorker, type WorkerCaOptions } from "./authority.ts";
import type { Assets } from "../src/host/page.ts";
import type { KvNamespace, MountNamespace } from "./bindings.ts";
import { clock } from "./clock.ts";
import type { LogEvent, Service } from "../src/index.ts";
import { jsonLine } from "../src/host/log-line.ts";
import { hostOptions, type HostEnvironment } from "../src/host/options.ts";
import { varsApi } from "../src/vars/index.ts";
import type { DnsEnv } from "../src/host/resolve.ts";
import { hostTokens } from "../src/host/secrets.ts";

/** The bindings of a deployment. */
export interface Env extends HostEnvironment, DnsEnv {
  /** Durable Objects of the class `MountObject`, one for each store. */
  readonly MOUNT: MountNamespace;
  /** KV namespace with the published CRLs. */
  readonly PUBLISHED: KvNamespace;
  /** The console at `/demo/`; absent if it is not deployed. */
  readonly ASSETS?: Assets;
  /** Secret with the token that has full access. */
  readonly SERVICE_ROOT_TOKEN: string;
  /** Secret with a token that can only read `sys/metrics`. */
  readonly METRICS_TOKEN?: string;
  /** Secret with the key that seals CA keys: 32 bytes in base64. */
  readonly SEALING_KEY: string;
  /** Secret with the previous sealing key, while rows are still sealed with it. */
  readonly SEALING_KEY_PREVIOUS?: string;
}

const optionsOf = (env: Env): WorkerCaOptions => ({
  ...hostOptions(env),
  ...(env.LOG === "json" ? { log: (event: LogEvent) => console.log(jsonLine(event)) } : {}),
  // without the token secrets, all tokens are rejected
  authenticate: hostTokens(env),
  now: () => clock.now(),
  services: (name: string) => serviceOf(env, name),
});

/** The authority of a deployment that is configured only by its bindings. */
export const deployment = sealwrightWorker<Env>({
  binding: "MOUNT",
  published: "PUBLISHED",
  apis: [varsApi],
  options: optionsOf,
});

/** Internal bindings, which mounts cannot use as services. */
const ownBindings: readonly string[] = ["MOUNT", "PUBLISHED", "ASSETS"];
/**
 * Returns a service binding, or undefined if there is none with the name. Only services have a
 * `fetch` function; secrets and stores do not.
 */
function serviceOf(env: Env, name: string): Service | undefined {
  if (ownBindings.includes(name) || !Object.hasOwn(env, name)) return undefined;
  // a deployment may name its bindings freely, so Env does not list them
  const bound = (env as unknown as Readonly<Record<string, unknown>>)[name];
  if (typeof bound !== "object" || bound === null || !("fetch" in bound)) return undefined;
  // the platform's stubs have no own members, so the method must be called on the stub
  return typeof bound.fetch === "function" ? (bound as Service) : undefined;
}
