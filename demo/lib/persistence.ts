/**
 * Whether the browser keeps what is made here: `forgets` in a private window that can be told to be
 * one, `unknown` where the browser does not say.
 */
export type Keeping = "persistent" | "best effort" | "forgets" | "unknown";

/** The part of the browser's storage API that reports it. */
export type Storage = Partial<Pick<StorageManager, "persisted" | "estimate" | "getDirectory">>;

/** Private windows offer a small part of what normal ones do. */
const minQuota = 200e6;

/**
 * Finds out whether what is made here outlives the window. Some private windows cannot be told from
 * normal ones.
 */
export async function keeping(storage: Storage | undefined): Promise<Keeping> {
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
    // Firefox refuses a private window this, and says so by this name.
    (reason: unknown) =>
      reason instanceof DOMException && reason.name === "SecurityError" ? "forgets" : "best effort",
  );
}

/**
 * The browser's storage; pages without https and some browsers have none, whatever the types say.
 */
export const browserStorage = (): StorageManager | undefined =>
  (navigator as { storage?: StorageManager }).storage;

/** True of every browser, also of those that do not tell. */
export const privateWindow = "A private window discards everything when it closes.";
