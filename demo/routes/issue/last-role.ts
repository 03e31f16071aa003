import type { NamedRole } from "../../api/pki.ts";
import { place } from "../../lib/place.ts";

const key = (): string => {
  const { base, mount } = place.get();
  return `sealwright-role ${base} ${mount}`;
};

/** The role that was used last in the mount that is shown; empty where none is known. */
function lastRole(): string {
  try {
    return localStorage.getItem(key()) ?? "";
  } catch {
    // Where site data is blocked nothing is remembered.
    return "";
  }
}

/** Remembers the role that was used. */
export function usedRole(name: string): void {
  try {
    localStorage.setItem(key(), name);
  } catch {
    // As above.
  }
}

/** The role that the address names, else the last one used, else the first. */
export function firstRole(roles: readonly NamedRole[], asked: string): string {
  const known = [asked, lastRole()].find((name) => roles.some(([key]) => key === name));
  return known ?? roles[0]?.[0] ?? "";
}
