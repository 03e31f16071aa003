import { place } from "../../lib/place.ts";

const key = (): string => {
  const { base, mount } = place.get();
  return `sealwright-role ${base} ${mount}`;
};

/** Returns the last role used in the current mount, or an empty string. */
function lastRole(): string {
  try {
    return localStorage.getItem(key()) ?? "";
  } catch {
    // The browser may block site data, in which case nothing is stored.
    return "";
  }
}

/** Stores the role that was last used in the current mount. */
export function usedRole(name: string): void {
  try {
    localStorage.setItem(key(), name);
  } catch {
    // The browser may block site data, in which case nothing is stored.
  }
}

/**
 * Returns the role in the URL, or else the last role used, or else the only one. Otherwise returns
 * an empty string, because the first role by name may have another purpose.
 */
export function firstRole(names: readonly string[], named: string): string {
  const match = [named, lastRole()].find((name) => names.includes(name));
  return match ?? (names.length === 1 ? names[0] : undefined) ?? "";
}
