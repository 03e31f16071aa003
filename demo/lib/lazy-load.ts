const rest: (() => Promise<unknown>)[] = [];

/** Returns a loader that imports code on first use; `loadRest` imports it earlier. */
export function lazyLoad<T>(load: () => Promise<T>): () => Promise<T> {
  rest.push(load);
  return load;
}

/** Loads the code of every view, so that losing the connection later costs none. */
export async function loadRest(): Promise<void> {
  for (const load of rest) await load().catch(() => {});
}
