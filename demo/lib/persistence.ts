/**
 * The persistence of the browser's storage: `forgets` in a recognizable private window, `unknown`
 * if the browser does not report it.
 */
export type Persistence = "persistent" | "best effort" | "forgets" | "unknown";

/** The part of the browser's storage API that reports persistence. */
export type Storage = Partial<Pick<StorageManager, "persisted" | "estimate" | "getDirectory">>;

/** Private windows offer much less storage than others. */
const minQuota = 200e6;

/**
 * Determines whether stored data outlives the window. Some private windows cannot be recognized.
 */
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
    // in private windows Firefox throws an error of this name
    (reason: unknown) =>
      reason instanceof DOMException && reason.name === "SecurityError" ? "forgets" : "best effort",
  );
}

/**
 * Returns the browser's storage manager; pages without https and some browsers have none, although
 * the types say otherwise.
 */
export const browserStorage = (): StorageManager | undefined =>
  (navigator as { storage?: StorageManager }).storage;

/** A warning that is true in every browser, including those that report nothing. */
export const privateWindow = "A private window discards everything when it closes.";
