/** Runs a job of a kind for an id. */
export type Run = (kind: string, id: string) => Promise<void>;

/**
 * Shares runs: calls that arrive while an equal one runs wait together for the next run. Each
 * caller's run began after its call.
 */
export function sharedRuns(run: Run): Run {
  const running = new Map<string, { readonly now: Promise<void>; next?: Promise<void> }>();
  const begin = (key: string, kind: string, id: string): Promise<void> => {
    const now = Promise.resolve()
      .then(() => run(kind, id))
      .finally(() => {
        if (!running.get(key)?.next) running.delete(key);
      });
    running.set(key, { now });
    return now;
  };
  return (kind, id) => {
    const key = `${kind}/${id}`;
    const current = running.get(key);
    if (!current) return begin(key, kind, id);
    const again = (): Promise<void> => begin(key, kind, id);
    current.next ??= current.now.then(again, again);
    return current.next;
  };
}
