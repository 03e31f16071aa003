/** What is said beside a reply: warnings, fields for the log, a lease. */
export interface Voice {
  warn(warning: string): void;
  note(fields: Readonly<Record<string, string | number | boolean>>, trace?: string): void;
  lease(id: string, seconds: number): void;
  keep?(reply: unknown, beside?: Beside): Promise<void>;
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
export function heldBack<C extends Voice>(
  caller: C,
): { readonly caller: C; readonly speak: () => void } {
  const saying: (() => void)[] = [];
  const warnings: string[] = [];
  let lease: Beside["lease"];
  const { keep } = caller;
  const silent = {
    ...caller,
    warn: (warning: string) => {
      warnings.push(warning);
      saying.push(() => caller.warn(warning));
    },
    note: (...said: Parameters<Voice["note"]>) => void saying.push(() => caller.note(...said)),
    lease: (id: string, seconds: number) => {
      lease = { id, seconds };
      saying.push(() => caller.lease(id, seconds));
    },
    ...(keep ? { keep: (reply: unknown) => keep(reply, { warnings, lease }) } : {}),
  };
  return { caller: silent, speak: () => saying.forEach((say) => say()) };
}
