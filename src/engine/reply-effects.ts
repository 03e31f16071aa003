/** Side effects of a decision besides its reply: warnings, audit fields, a lease. */
export interface ReplyEffects {
  warn(warning: string): void;
  note(fields: Readonly<Record<string, string | number | boolean>>, trace?: string): void;
  lease(id: string, seconds: number): void;
  /**
   * Receives the audit fields of an attempt before its commit; without fields an attempt begins.
   */
  draft?(fields?: Readonly<Record<string, string | number | boolean>>): void;
  wrapReply?(reply: unknown, extras?: ReplyExtras): Promise<void>;
}
/** Members of a reply besides its data. */
interface ReplyExtras {
  readonly warnings: readonly string[];
  readonly lease: { readonly id: string; readonly seconds: number } | undefined;
}

/**
 * Buffers warnings, audit fields and leases until `flush`, because a retried attempt must not
 * report what a stale configuration caused. `wrapReply` runs at once, with the buffered effects.
 */
function bufferEffects<C extends ReplyEffects>(
  caller: C,
): { readonly caller: C; readonly flush: () => void } {
  const pending: (() => void)[] = [];
  const warnings: string[] = [];
  let lease: ReplyExtras["lease"];
  const { wrapReply } = caller;
  caller.draft?.();
  const buffered = {
    ...caller,
    warn: (warning: string) => {
      warnings.push(warning);
      pending.push(() => caller.warn(warning));
    },
    note: (...said: Parameters<ReplyEffects["note"]>) => {
      caller.draft?.(said[0]);
      pending.push(() => caller.note(...said));
    },
    lease: (id: string, seconds: number) => {
      lease = { id, seconds };
      pending.push(() => caller.lease(id, seconds));
    },
    ...(wrapReply ? { wrapReply: (reply: unknown) => wrapReply(reply, { warnings, lease }) } : {}),
  };
  return { caller: buffered, flush: () => pending.forEach((say) => say()) };
}

/** Runs attempts, and passes only the effects of the last one to the caller once it is done. */
export async function withFinalAttempt<C extends ReplyEffects, S, R, T>(
  caller: C,
  attempt: (state: S, caller: C) => R,
  run: (attempt: (state: S) => R) => Promise<T>,
): Promise<T> {
  let flush: (() => void) | undefined;
  const reply = await run((state) => {
    const effects = bufferEffects(caller);
    ({ flush } = effects);
    return attempt(state, effects.caller);
  });
  flush?.();
  return reply;
}
