import type { CaOptions } from "../index.ts";
import { acmeSettingsOf, type AcmeEnv } from "./acme-settings.ts";
import { NotConfigured } from "./not-configured.ts";
import { parseVarsSettings, type VarsEnvironment } from "./vars-settings.ts";

/** The settings that a host on any platform reads from its environment. */
export interface HostEnvironment extends AcmeEnv, VarsEnvironment {
  /** The deployment's own URL. */
  readonly PUBLIC_URL?: string;
  /** `true` allows leaf certificates that violate constraints of their issuer's chain. */
  readonly DISABLE_PKI_CONSTRAINTS_VERIFICATION?: string;
  /** Origins that CORS allows, separated by commas. */
  readonly ALLOWED_ORIGINS?: string;
  /** `json` logs each request as a line of JSON on the console. */
  readonly LOG?: string;
  /** `false` disables the audit log. */
  readonly AUDIT?: string;
}

/** Options for `createCa`, and the origins that CORS allows. */
interface HostOptions extends Pick<
  CaOptions,
  "acme" | "vars" | "publicUrl" | "chainChecks" | "audit"
> {
  readonly allowedOrigins: readonly string[];
}

/**
 * Parses the settings in an environment. Throws {@link NotConfigured} if a setting is not valid.
 */
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
