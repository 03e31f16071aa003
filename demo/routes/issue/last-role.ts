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
    // The browser may block site data; nothing is stored then.
    return "";
  }
}

/** Stores the role that was used. */
export function usedRole(name: string): void {
  try {
    localStorage.setItem(key(), name);
  } catch {
    // As above.
  }
}

/** Returns the role in the address, or else the last one used, or else the first. */
export function firstRole(names: readonly string[], named: string): string {
  const match = [named, lastRole()].find((name) => names.includes(name));
  return match ?? names[0] ?? "";
}
