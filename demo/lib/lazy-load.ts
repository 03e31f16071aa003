const rest: (() => Promise<unknown>)[] = [];

/** Returns a loader that imports code on first use; `loadRest` imports it earlier. */
export function lazyLoad<T>(load: () => Promise<T>): () => Promise<T> {
  rest.push(load);
  return load;
}

/** Loads the code of every view, so that all still open if the connection is lost later. */
export async function loadRest(): Promise<void> {
  for (const load of rest) await load().catch(() => {});
}
