/** What is said beside a reply: warnings, fields for the log, a lease. */
export interface Voice {
  warn(warning: string): void;
  note(fields: Readonly<Record<string, string | number | boolean>>, trace?: string): void;
  lease(id: string, seconds: number): void;
  /** Hears at once what an attempt notes, since its commit tells of it; nothing: one begins. */
  draft?(fields?: Readonly<Record<string, string | number | boolean>>): void;
  wrapReply?(reply: unknown, beside?: Beside): Promise<void>;
}
/** What stands in a reply beside its data. */
interface Beside {
  readonly warnings: readonly string[];
  readonly lease: { readonly id: string; readonly seconds: number } | undefined;
}

/**
 * One who hears nothing before `speak`: an attempt that is made again speaks of a replaced
 * configuration. Only `keep` is done at once, with what was said so far.
 */
function heldBack<C extends Voice>(caller: C): { readonly caller: C; readonly speak: () => void } {
  const saying: (() => void)[] = [];
  const warnings: string[] = [];
  let lease: Beside["lease"];
  const { wrapReply } = caller;
  caller.draft?.();
  const silent = {
    ...caller,
    warn: (warning: string) => {
      warnings.push(warning);
      saying.push(() => caller.warn(warning));
    },
    note: (...said: Parameters<Voice["note"]>) => {
      caller.draft?.(said[0]);
      saying.push(() => caller.note(...said));
    },
    lease: (id: string, seconds: number) => {
      lease = { id, seconds };
      saying.push(() => caller.lease(id, seconds));
    },
    ...(wrapReply ? { wrapReply: (reply: unknown) => wrapReply(reply, { warnings, lease }) } : {}),
  };
  return { caller: silent, speak: () => saying.forEach((say) => say()) };
}

/** Runs attempts for a caller who hears the last of them alone, once it is done. */
export async function lastHeard<C extends Voice, S, R, T>(
  caller: C,
  attempt: (state: S, caller: C) => R,
  run: (attempt: (state: S) => R) => Promise<T>,
): Promise<T> {
  let speak: (() => void) | undefined;
  const reply = await run((state) => {
    const held = heldBack(caller);
    ({ speak } = held);
    return attempt(state, held.caller);
  });
  speak?.();
  return reply;
}
