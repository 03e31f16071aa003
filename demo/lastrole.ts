import { place } from "./place.ts";

const key = (): string => {
  const { base, mount } = place.get();
  return `sealwright-role ${base} ${mount}`;
};

/** The role that was used last in the mount that is shown; empty where none is known. */
export function lastRole(): string {
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
