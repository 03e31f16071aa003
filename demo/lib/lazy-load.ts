const rest: (() => Promise<unknown>)[] = [];

/** Code that is loaded when it is first needed, or with the rest of the page. */
export function lazyLoad<T>(load: () => Promise<T>): () => Promise<T> {
  rest.push(load);
  return load;
}

/** Loads the code of every view, so that a connection that is lost later costs none of them. */
export async function loadRest(): Promise<void> {
  for (const load of rest) await load().catch(() => {});
}
