const key = (mount: string): string => `sealwright-empty ${mount}`;
/** For a browser that blocks site data. */
const inMemory = new Set<string>();

/** Notes that the user chose to leave a mount of this browser empty, also for later visits. */
export function leaveEmpty(mount: string): void {
  inMemory.add(mount);
  try {
    localStorage.setItem(key(mount), "chosen");
  } catch {
    // the choice lasts as long as the page
  }
}

/** Reports whether the user chose to leave a mount of this browser empty. */
export function isLeftEmpty(mount: string): boolean {
  if (inMemory.has(mount)) return true;
  try {
    return localStorage.getItem(key(mount)) !== null;
  } catch {
    return false;
  }
}
