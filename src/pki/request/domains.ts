import { compileGlob } from "../../base/glob.ts";
import { memoize } from "../../base/memo.ts";
import { lowerAscii } from "../../base/names.ts";

/**
 * The `allowed_domains` of a role, arranged so that a name is not compared with each of a thousand.
 */
interface Domains {
  readonly exact: ReadonlySet<string>;
  readonly anyCase: ReadonlySet<string>;
  /** Length of the longest. */
  readonly longest: number;
  readonly globs: readonly ((name: string) => boolean)[];
}

// a role's list is the same array as long as no configuration is written
const domainsOf = memoize((list: readonly string[]): Domains => {
  const entries = list.filter((entry) => entry !== "");
  return {
    exact: new Set(entries),
    anyCase: new Set(entries.map(lowerAscii)),
    longest: entries.reduce((longest, { length }) => Math.max(longest, length), 0),
    globs: entries.filter((entry) => entry.includes("*")).map(compileGlob),
  };
});

/** Whether a name equals one of the domains; ASCII letters in any case. */
export const isDomain = (list: readonly string[], name: string): boolean =>
  domainsOf(list).anyCase.has(lowerAscii(name));

/** Whether a name is one of the domains with something and a dot before it; case counts. */
export function isBelowDomain(list: readonly string[], name: string): boolean {
  const { exact, longest } = domainsOf(list);
  // from the first dot that leaves no more than the longest domain: a name of a million dots costs
  // no more than any other
  for (
    let dot = name.indexOf(".", Math.max(0, name.length - longest - 1));
    dot >= 0;
    dot = name.indexOf(".", dot + 1)
  )
    if (exact.has(name.slice(dot + 1))) return true;
  return false;
}

/** Whether a name matches one of the domains that hold a `*`. */
export const fitsGlobDomain = (list: readonly string[], name: string): boolean =>
  domainsOf(list).globs.some((fits) => fits(name));
