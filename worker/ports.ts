import { acmeSettingsOf, type AcmeEnv } from "./acme.ts";
import { sealwrightWorker, type WorkerCaOptions } from "./authority.ts";
import type { Assets, KvNamespace, MountNamespace } from "./bindings.ts";
import { clock } from "./clock.ts";
import type { LogEvent, Service, VarsSettings } from "../src/index.ts";
import { varsApi } from "../src/vars/index.ts";
import { NotConfigured } from "./not-configured.ts";
import type { DnsEnv } from "./resolve.ts";
import { rootToken } from "./secrets.ts";

/** What a deployment binds to the Worker. */
export interface Env extends AcmeEnv, DnsEnv {
  /** Objects of class `MountObject`, each a store. */
  readonly MOUNT: MountNamespace;
  /** Published CRLs. */
  readonly PUBLISHED: KvNamespace;
  /** The page below `/demo/`; absent where it is not deployed. */
  readonly ASSETS?: Assets;
  /** Secret: the token that may do everything. */
  readonly SERVICE_ROOT_TOKEN: string;
  /** Secret: base64 of the 32 bytes under which CA keys are sealed. */
  readonly SEALING_KEY: string;
  /** Secret: the sealing key before, for as long as rows are sealed under it. */
  readonly SEALING_KEY_PREVIOUS?: string;
  /** The deployment's own address. */
  readonly PUBLIC_URL?: string;
  /** `true`: leaves may break the constraints of their issuer's chain. */
  readonly DISABLE_PKI_CONSTRAINTS_VERIFICATION?: string;
  /** Origins, separated by commas, that browsers may call from. */
  readonly ALLOWED_ORIGINS?: string;
  /** Secret: the token of the first user of the variables API; without it that user has none. */
  readonly VARS_TOKEN?: string;
  /** `false`: `/api/v2/vars` takes what old clients leave out. */
  readonly VARS_STRICT?: string;
  /** Requests a second and principal of the variables API; 30 unless said, 0 for no limit. */
  readonly VARS_RATE_LIMIT?: string;
  /** `iac` or `terraform`: one spelling in all answers; else as it was written. */
  readonly VARS_CATEGORY_SPELLING?: string;
  /** `json`: one line a request on the console. */
  readonly LOG?: string;
  /** `false`: no events of what changed or was refused are stored. */
  readonly AUDIT?: string;
}

/** The authority of a deployment, all of whose settings are bindings. */
export const deployment = sealwrightWorker<Env>({
  binding: "MOUNT",
  published: "PUBLISHED",
  apis: [varsApi],
  options: optionsOf,
});

function optionsOf(env: Env): WorkerCaOptions {
  return {
    // a deployment without it answers nothing
    authenticate: rootToken(env.SERVICE_ROOT_TOKEN),
    now: () => clock.now(),
    services: (name: string) => serviceOf(env, name),
    acme: acmeSettingsOf(env, (text) => new NotConfigured(text)),
    vars: varsSettings(env),
    allowedOrigins: originsOf(env),
    ...(env.PUBLIC_URL ? { publicUrl: env.PUBLIC_URL } : {}),
    ...(env.DISABLE_PKI_CONSTRAINTS_VERIFICATION === "true" ? { chainChecks: false } : {}),
    ...(env.AUDIT === "false" ? { audit: false } : {}),
    ...(env.LOG === "json" ? { log: printEvent } : {}),
  };
}

const originsOf = (env: Env): readonly string[] =>
  (env.ALLOWED_ORIGINS ?? "")
    .split(",")
    .map((origin) => origin.trim())
    .filter(Boolean);

/** Bindings of our own: none is a service that mounts may name. */
const ownBindings: readonly string[] = ["MOUNT", "PUBLISHED", "ASSETS"];
/** The service binding of a name: what has a function `fetch`, and no secret or store has one. */
function serviceOf(env: Env, name: string): Service | undefined {
  if (ownBindings.includes(name) || !Object.hasOwn(env, name)) return undefined;
  // a deployment binds under whatever names it likes, which Env does not list
  const bound = (env as unknown as Readonly<Record<string, unknown>>)[name];
  if (typeof bound !== "object" || bound === null || !("fetch" in bound)) return undefined;
  // stubs of the platform have no own members: its function is called on it
  return typeof bound.fetch === "function" ? (bound as Service) : undefined;
}

/** What the documents of the variables API say of a hosted service: 30 requests a second. */
const varsRateLimit = 30;
function varsSettings({
  VARS_TOKEN: token,
  VARS_STRICT,
  VARS_RATE_LIMIT,
  VARS_CATEGORY_SPELLING,
}: Env): VarsSettings {
  if (token && token.length < 16)
    throw new NotConfigured("the secret VARS_TOKEN must have at least 16 characters");
  const rateLimit = VARS_RATE_LIMIT ? Number(VARS_RATE_LIMIT) : varsRateLimit;
  if (!Number.isInteger(rateLimit) || rateLimit < 0)
    throw new NotConfigured(
      "VARS_RATE_LIMIT must be a whole number of requests a second, 0 for no limit",
    );
  const categorySpelling =
    VARS_CATEGORY_SPELLING === "iac" || VARS_CATEGORY_SPELLING === "terraform"
      ? VARS_CATEGORY_SPELLING
      : "echo";
  return {
    ...(token ? { token } : {}),
    strict: VARS_STRICT !== "false",
    rateLimit,
    categorySpelling,
  };
}

function printEvent({ cause, ...event }: LogEvent): void {
  const defect =
    cause === undefined
      ? {}
      : { cause: cause instanceof Error ? (cause.stack ?? cause.message) : JSON.stringify(cause) };
  // the platform's log is the console
  console.log(JSON.stringify({ ...event, ...defect }));
}
