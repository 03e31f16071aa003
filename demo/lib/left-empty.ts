const key = (mount: string): string => `sealwright-empty ${mount}`;
/** Mounts that the user has left empty, for browsers that block site data. */
const inMemory = new Set<string>();

/**
 * Records that the user chose to leave a mount in this browser empty, if possible also for later
 * visits.
 */
export function leaveEmpty(mount: string): void {
  inMemory.add(mount);
  try {
    localStorage.setItem(key(mount), "chosen");
  } catch {
    // the browser may block site data; the choice then lasts as long as the page
  }
}

/** Reports whether the user chose to leave a mount in this browser empty. */
export function isLeftEmpty(mount: string): boolean {
  if (inMemory.has(mount)) return true;
  try {
    return localStorage.getItem(key(mount)) !== null;
  } catch {
    return false;
  }
}
