/** Returns an explanation of why the browser's storage cannot be opened. */
export function whyClosed(reason: unknown): string {
  const refused = !(reason instanceof DOMException) || reason.name === "SecurityError";
  return refused
    ? "The browser does not let this page store data, so you cannot create or open an authority here. The usual cause is a private window or a setting that blocks site data."
    : `The browser could not open its storage: ${reason.message}`;
}

/**
 * Reports whether there is no CA database for a page's folder. Rejects if the browser does not
 * allow databases.
 */
export async function isDatabaseMissing(page: string): Promise<boolean> {
  const request = indexedDB.open(`sealwright ${new URL("./", page).pathname}/sys`);
  return new Promise((resolve, reject) => {
    // the database did not exist and must not be created
    request.onupgradeneeded = () => request.transaction?.abort();
    request.onsuccess = () => {
      request.result.close();
      resolve(false);
    };
    request.onerror = () =>
      request.error?.name === "AbortError" ? resolve(true) : reject(request.error ?? new Error());
  });
}
