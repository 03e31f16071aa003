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
  const notes: Parameters<ReplyEffects["note"]>[] = [];
  const warnings: string[] = [];
  let lease: ReplyExtras["lease"];
  const { wrapReply } = caller;
  caller.draft?.();
  const buffered = {
    ...caller,
    warn: (warning: string) => void warnings.push(warning),
    note: (...said: Parameters<ReplyEffects["note"]>) => {
      caller.draft?.(said[0]);
      notes.push(said);
    },
    lease: (id: string, seconds: number) => void (lease = { id, seconds }),
    ...(wrapReply ? { wrapReply: (reply: unknown) => wrapReply(reply, { warnings, lease }) } : {}),
  };
  const flush = (): void => {
    for (const warning of warnings) caller.warn(warning);
    for (const note of notes) caller.note(...note);
    if (lease) caller.lease(lease.id, lease.seconds);
  };
  return { caller: buffered, flush };
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
