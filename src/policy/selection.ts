import { memoize } from "../base/memo.ts";
import type { PathForms } from "../engine/ports.ts";
import type { RenderedPattern } from "./pattern.ts";
import { merge, type Grant } from "./merge.ts";

/**
 * A pattern with wildcards and its rank. Of all matching patterns, the one with the lowest rank
 * applies.
 */
interface Ranked {
  readonly rendered: RenderedPattern;
  grant: Grant;
  rank: number;
}
/** A node in the tree of patterns. */
interface Branch {
  named?: Map<string, Branch>;
  /** The branch for any single segment. */
  any?: Branch;
  /** The pattern that ends at this node. */
  end?: Ranked;
  /** Patterns that end with a star, by the beginning of their last segment. */
  prefixes?: Map<string, Ranked>;
  /** Lengths of the keys of `prefixes`, longest first, because the longest match applies. */
  lengths: readonly number[];
  /** The lowest rank of the patterns in this branch. */
  minRank: number;
}
const none: readonly number[] = [];
/**
 * Returns an empty branch. Optional members are added only when needed, because most branches need
 * few of them.
 */
const branch = (): Branch => ({ lengths: none, minRank: Infinity });

/** An index of rules by pattern, which finds the rule for a path segment by segment. */
export interface RuleIndex {
  /**
   * Returns the rule that applies to a path. A pattern without wildcards matches only the path
   * itself, optionally followed by a slash. `forms` contains the normal forms of parameters in the
   * path.
   */
  find(path: string, forms?: PathForms): Grant | undefined;
  readonly exact: ReadonlyMap<string, Grant>;
  /** Rules with wildcards. The first rule that matches applies. */
  readonly wild: readonly Grant[];
}

type Rule = readonly [RenderedPattern, Grant];
type Table = Omit<RuleIndex, "find"> & { find(path: string): Grant | undefined };

/** Builds the index of rules (P 9.5.1). */
export function selectionOf(rules: readonly Rule[]): RuleIndex {
  const written = tableOf(rules);
  const tableFor = memoize((forms: PathForms): Table => {
    const formed = rules.map((rule) => inForms(rule, forms));
    return formed.some((rule, i) => rule !== rules[i]) ? tableOf(formed) : written;
  });
  return { ...written, find: (path, forms) => (forms ? tableFor(forms) : written).find(path) };
}
/** Returns the rule with the path parameters in its pattern in normal form. */
function inForms(rule: Rule, forms: PathForms): Rule {
  const [rendered, grant] = rule;
  const segments = rendered.segments.map((segment, i) => {
    const spelled = forms.find(({ at, isRest }) => (isRest ? i >= at : i === at));
    return segment === undefined || !spelled ? segment : spelled.form(segment);
  });
  return segments.every((segment, i) => segment === rendered.segments[i])
    ? rule
    : [{ ...rendered, segments }, grant];
}
function tableOf(rules: readonly Rule[]): Table {
  const exact = new Map<string, Grant>();
  const top = branch();
  const all: Ranked[] = [];
  for (const [rendered, grant] of rules) {
    const { segments, glob } = rendered;
    if (!glob && !segments.includes(undefined)) {
      const path = segments.join("/");
      const exactRule = exact.get(path);
      exact.set(path, exactRule ? merge(exactRule, grant) : grant);
    } else if (!joined(top, rendered, grant)) all.push(added(top, rendered, grant));
  }
  all.sort((a, b) => byPreference(a.rendered, b.rendered));
  for (const [rank, one] of all.entries()) one.rank = rank;
  settle(top);
  return {
    exact,
    wild: all.map(({ grant }) => grant),
    find: (path) => {
      const exactRule =
        exact.get(path) ?? (path.endsWith("/") ? exact.get(path.slice(0, -1)) : undefined);
      if (exactRule || all.length === 0) return exactRule;
      return best(top, path.split("/"), 0, undefined)?.grant;
    },
  };
}

/**
 * Returns the node at which a pattern ends and, if the pattern ends with a star, the beginning of
 * its last segment.
 */
function endOf(
  top: Branch,
  { segments, glob }: RenderedPattern,
): readonly [at: Branch, prefix: string] {
  let at = top;
  for (const segment of glob ? segments.slice(0, -1) : segments) {
    if (segment === undefined) at = at.any ??= branch();
    else {
      at.named ??= new Map();
      const next = at.named.get(segment) ?? branch();
      at.named.set(segment, next);
      at = next;
    }
  }
  return [at, (glob ? segments.at(-1) : undefined) ?? ""];
}
function joined(top: Branch, rendered: RenderedPattern, grant: Grant): boolean {
  const [at, prefix] = endOf(top, rendered);
  const node = rendered.glob ? at.prefixes?.get(prefix) : at.end;
  if (node) node.grant = merge(node.grant, grant);
  return node !== undefined;
}
function added(top: Branch, rendered: RenderedPattern, grant: Grant): Ranked {
  const [at, prefix] = endOf(top, rendered);
  const one: Ranked = { rendered, grant, rank: Infinity };
  if (rendered.glob) (at.prefixes ??= new Map()).set(prefix, one);
  else at.end = one;
  return one;
}
function settle(at: Branch): number {
  const { named, prefixes, any, end } = at;
  if (prefixes)
    at.lengths = [...new Set([...prefixes.keys()].map(({ length }) => length))].sort(
      (a, b) => b - a,
    );
  const below = [...(named?.values() ?? []), ...(any ? [any] : [])].map(settle);
  const here = [...(prefixes?.values() ?? []), ...(end ? [end] : [])].map(({ rank }) => rank);
  at.minRank = [...below, ...here].reduce((minRank, rank) => Math.min(minRank, rank), Infinity);
  return at.minRank;
}

const better = (a: Ranked | undefined, b: Ranked | undefined): Ranked | undefined =>
  a && b ? (a.rank < b.rank ? a : b) : (a ?? b);
function best(
  at: Branch,
  segments: readonly string[],
  depth: number,
  current: Ranked | undefined,
): Ranked | undefined {
  // every other match in this branch has a higher rank
  if (current && at.minRank >= current.rank) return current;
  const segment = segments[depth];
  if (segment === undefined) return better(current, at.end);
  const named = at.named?.get(segment);
  let chosen = named ? best(named, segments, depth + 1, current) : current;
  if (at.any) chosen = best(at.any, segments, depth + 1, chosen);
  return better(chosen, prefixOf(at, segment));
}
function prefixOf({ prefixes, lengths }: Branch, segment: string): Ranked | undefined {
  for (const length of lengths) {
    const one = length <= segment.length ? prefixes?.get(segment.slice(0, length)) : undefined;
    if (one) return one;
  }
  return undefined;
}

/**
 * Compares patterns by precedence. The criteria, in this order (P 9.5.1):
 *
 * - a later first wildcard,
 * - no final star,
 * - fewer segment wildcards,
 * - greater length,
 * - a later position in alphabetical order.
 */
function byPreference(a: RenderedPattern, b: RenderedPattern): number {
  return (
    firstWildcard(b) - firstWildcard(a) ||
    Number(a.glob) - Number(b.glob) ||
    wildcards(a) - wildcards(b) ||
    b.text.length - a.text.length ||
    (a.text > b.text ? -1 : 1)
  );
}
const wildcards = ({ segments }: RenderedPattern): number =>
  segments.filter((segment) => segment === undefined).length;
function firstWildcard({ segments, text, glob }: RenderedPattern): number {
  const first = segments.indexOf(undefined);
  if (first < 0) return glob ? text.length - 1 : text.length;
  return segments
    .slice(0, first)
    .reduce((length, segment) => length + (segment?.length ?? 0) + 1, 0);
}
