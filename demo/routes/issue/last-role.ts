import { place } from "../../lib/place.ts";

const key = (): string => {
  const { base, mount } = place.get();
  return `sealwright-role ${base} ${mount}`;
};

/** Returns the last used role of the shown mount; empty for none. */
function lastRole(): string {
  try {
    return localStorage.getItem(key()) ?? "";
  } catch {
    // If site data is blocked nothing is stored.
    return "";
  }
}

/** Stores the used role. */
export function usedRole(name: string): void {
  try {
    localStorage.setItem(key(), name);
  } catch {
    // As above.
  }
}

/** Returns the role in the address, else the last used one, else the first. */
export function firstRole(names: readonly string[], named: string): string {
  const match = [named, lastRole()].find((name) => names.includes(name));
  return match ?? names[0] ?? "";
}
