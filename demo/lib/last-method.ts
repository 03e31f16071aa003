const keyOf = (base: string): string => `sealwright-method ${base}`;

/** Returns the login method that this browser last used at a server; empty if not known. */
export function lastMethod(base: string): string {
  try {
    return localStorage.getItem(keyOf(base)) ?? "";
  } catch {
    // if site data is blocked nothing is stored
    return "";
  }
}

/** Stores the used login method, which is no secret. */
export function usedMethod(base: string, method: string): void {
  try {
    localStorage.setItem(keyOf(base), method);
  } catch {
    // as above
  }
}
