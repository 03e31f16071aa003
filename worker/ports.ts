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
  /** Objects of class `MountObject`, each a store. */
  readonly MOUNT: MountNamespace;
  /** Published CRLs. */
  readonly PUBLISHED: KvNamespace;
  /** The page below `/demo/`; absent if it is not deployed. */
  readonly ASSETS?: Assets;
  /** Secret: the token with full access. */
  readonly SERVICE_ROOT_TOKEN: string;
  /** Secret: a token that may only read `sys/metrics`. */
  readonly METRICS_TOKEN?: string;
  /** Secret: the key that seals CA keys, base64 of 32 bytes. */
  readonly SEALING_KEY: string;
  /** Secret: the previous sealing key, while rows are still sealed with it. */
  readonly SEALING_KEY_PREVIOUS?: string;
}

const optionsOf = (env: Env): WorkerCaOptions => ({
  ...hostOptions(env),
  ...(env.LOG === "json" ? { log: (event: LogEvent) => console.log(jsonLine(event)) } : {}),
  // a deployment without it rejects all tokens
  authenticate: hostTokens(env),
  now: () => clock.now(),
  services: (name: string) => serviceOf(env, name),
});

/** The authority of a deployment configured only by bindings. */
export const deployment = sealwrightWorker<Env>({
  binding: "MOUNT",
  published: "PUBLISHED",
  apis: [varsApi],
  options: optionsOf,
});

/** Internal bindings, which mounts cannot use as services. */
const ownBindings: readonly string[] = ["MOUNT", "PUBLISHED", "ASSETS"];
/** Returns a service binding: it has a function `fetch`, which secrets and stores lack. */
function serviceOf(env: Env, name: string): Service | undefined {
  if (ownBindings.includes(name) || !Object.hasOwn(env, name)) return undefined;
  // a deployment may use any names for its bindings, which Env does not list
  const bound = (env as unknown as Readonly<Record<string, unknown>>)[name];
  if (typeof bound !== "object" || bound === null || !("fetch" in bound)) return undefined;
  // stubs of the platform have no own members: the method is called on the stub
  return typeof bound.fetch === "function" ? (bound as Service) : undefined;
}
