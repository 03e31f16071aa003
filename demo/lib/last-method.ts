const keyOf = (base: string): string => `sealwright-method ${base}`;

/** Returns the login method that was last used at a server in this browser, or an empty string. */
export function lastMethod(base: string): string {
  try {
    return localStorage.getItem(keyOf(base)) ?? "";
  } catch {
    // if the browser blocks site data, nothing was stored
    return "";
  }
}

/** Stores the login method that was last used at a server. It is not secret. */
export function usedMethod(base: string, method: string): void {
  try {
    localStorage.setItem(keyOf(base), method);
  } catch {
    // the browser may block site data; nothing is stored then
  }
}
