/**
 * What the members that were sent must keep among each other; `none` and `many` replace the texts
 * of refusals.
 */
export type Rule<K extends string> =
  | { readonly exactlyOne: readonly K[]; readonly none?: string; readonly many?: string }
  | { readonly together: readonly K[] };
