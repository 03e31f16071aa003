import { compileGlob } from "../../base/glob.ts";

/**
 * Reports whether `attestation_devices` of config/acme allows a device, by one of its identifiers.
 * If the setting is empty, every device is allowed.
 */
export function isAllowedDevice(ids: readonly string[], globs: readonly string[]): boolean {
  const allowed = globs.map(compileGlob);
  return globs.length === 0 || ids.some((id) => allowed.some((matches) => matches(id)));
}
