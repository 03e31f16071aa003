/**
 * The persistence of the browser's storage: `forgets` in a window that is recognizable as private,
 * `unknown` if the browser does not report it.
 */
export type Persistence = "persistent" | "best effort" | "forgets" | "unknown";

/** The part of the browser's storage API that reports persistence. */
export type Storage = Partial<Pick<StorageManager, "persisted" | "estimate" | "getDirectory">>;

/** Quota in bytes up to which a window is assumed to be private. */
const minQuota = 200e6;

/** Determines how long the browser keeps stored data. Not all private windows can be recognized. */
export async function readPersistence(storage: Storage | undefined): Promise<Persistence> {
  if (!storage?.persisted || !storage.estimate) return "unknown";
  try {
    if (await storage.persisted()) return "persistent";
    const { quota = Infinity } = await storage.estimate();
    if (quota <= minQuota) return "forgets";
  } catch {
    return "unknown";
  }
  const directory = storage.getDirectory?.() ?? Promise.resolve();
  return directory.then(
    () => "best effort",
    // Firefox throws an error with this name in private windows
    (reason: unknown) =>
      reason instanceof DOMException && reason.name === "SecurityError" ? "forgets" : "best effort",
  );
}

/**
 * Returns the browser's storage manager. Despite the types, pages without https and some browsers
 * have none.
 */
export const browserStorage = (): StorageManager | undefined =>
  (navigator as { storage?: StorageManager }).storage;

/** The warning about private windows, which applies to every browser. */
export const privateWindow = "A private window discards everything when it is closed.";
