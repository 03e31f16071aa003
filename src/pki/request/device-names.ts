import { CaError } from "../../base/errors.ts";
import type { TextForm } from "../../base/forms.ts";
import { matchesGlob } from "../../base/glob.ts";
import { hasControlCharacter, truncateForMessage } from "../../base/names.ts";
import { deviceTypes, type DeviceName } from "../../x509/device-name.ts";

/**
 * Parses `<type>:<glob>`, which matches device names of one type. Returns undefined if malformed.
 */
export function parseDeviceGlob(entry: string): DeviceName | undefined {
  const at = entry.indexOf(":");
  const type = deviceTypes.find((one) => one === entry.slice(0, at).trim().toLowerCase());
  const value = entry.slice(at + 1).trim();
  return type && value !== "" ? { type, value } : undefined;
}

/**
 * Normalizes a device name glob by converting its type to lower case. The device name itself is
 * case-sensitive.
 */
export const deviceGlobForm: TextForm = (text) => {
  const name = parseDeviceGlob(text);
  return name ? `${name.type}:${name.value}` : text.trim();
};

/** Reports whether any of the globs allows a device name; an empty list allows none. */
export const allowsDevice = (
  entries: readonly string[],
  { type, value }: { readonly type: string; readonly value: string },
): boolean =>
  entries.some((entry) => {
    const glob = parseDeviceGlob(entry);
    return glob?.type === type && matchesGlob(glob.value, value);
  });

/**
 * Throws `name_not_allowed` for a device name that contains a control character or that the role
 * does not allow. Only the role's `allowed_device_identifiers` can allow device names; fields such
 * as `allow_any_name` do not.
 */
export function requireDevice(allowed: readonly string[], name: DeviceName): void {
  const shown = truncateForMessage(name.value);
  if (hasControlCharacter(name.value))
    throw new CaError("name_not_allowed", `the ${name.type} contains a control character`);
  if (!allowsDevice(allowed, name))
    throw new CaError(
      "name_not_allowed",
      `the role does not allow the ${name.type} ${shown}: no entry in allowed_device_identifiers matches it`,
    );
}
