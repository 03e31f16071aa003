const rest: (() => Promise<unknown>)[] = [];

/**
 * Returns a function that imports code on its first call, unless `loadRest` has already imported
 * it.
 */
export function lazyLoad<T>(load: () => Promise<T>): () => Promise<T> {
  rest.push(load);
  return load;
}

/** Imports the code of all views, so that they still open if the connection is lost later. */
export async function loadRest(): Promise<void> {
  for (const load of rest) await load().catch(() => {});
}
