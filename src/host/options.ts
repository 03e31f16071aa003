import type { CaOptions } from "../index.ts";
import { acmeSettingsOf, type AcmeEnv } from "./acme-settings.ts";
import { NotConfigured } from "./not-configured.ts";
import { parseVarsSettings, type VarsEnvironment } from "./vars-settings.ts";

/** Settings that a host reads from its environment, on any platform. */
export interface HostEnvironment extends AcmeEnv, VarsEnvironment {
  /** The deployment's own address. */
  readonly PUBLIC_URL?: string;
  /** `true`: leaves may break the constraints of their issuer's chain. */
  readonly DISABLE_PKI_CONSTRAINTS_VERIFICATION?: string;
  /** Origins, separated by commas, that browsers may call from. */
  readonly ALLOWED_ORIGINS?: string;
  /** `json`: one line a request on the console. */
  readonly LOG?: string;
  /** `false` disables the audit log. */
  readonly AUDIT?: string;
}

/** Options of `createCa`, and the origins that browsers may call from. */
interface HostOptions extends Pick<
  CaOptions,
  "acme" | "vars" | "publicUrl" | "chainChecks" | "audit"
> {
  readonly allowedOrigins: readonly string[];
}

/** Parses the settings of an environment. Throws {@link NotConfigured}. */
export const hostOptions = (env: HostEnvironment): HostOptions => ({
  acme: acmeSettingsOf(env, (text) => new NotConfigured(text)),
  vars: parseVarsSettings(env),
  allowedOrigins: (env.ALLOWED_ORIGINS ?? "")
    .split(",")
    .map((origin) => origin.trim())
    .filter(Boolean),
  ...(env.PUBLIC_URL ? { publicUrl: env.PUBLIC_URL } : {}),
  ...(env.DISABLE_PKI_CONSTRAINTS_VERIFICATION === "true" ? { chainChecks: false } : {}),
  ...(env.AUDIT === "false" ? { audit: false } : {}),
});
