import type { Grant } from "./merge.ts";
import type { RuleIndex } from "./selection.ts";

/** Replaces a wildcard in a sample path; no pattern contains it literally. */
const any = "?";
const grantsAny = (grant: Grant | undefined): boolean =>
  grant !== undefined && grant.capabilities.length > 0 && !grant.capabilities.includes("deny");

/** Returns a path below a prefix that a pattern matches, if any. The prefix ends with a slash. */
function sampleOf(pattern: string, prefix: string): string | undefined {
  const glob = pattern.endsWith("*");
  const segments = (glob ? pattern.slice(0, -1) : pattern).split("/");
  const above = prefix.split("/").slice(0, -1);
  const last = segments.length - 1;
  for (const [at, named] of above.entries()) {
    const segment = segments[at];
    if (glob && at === last) return named.startsWith(segment ?? "") ? prefix + any : undefined;
    // the prefix itself is not below it
    if (at >= last || (segment !== "+" && segment !== named)) return undefined;
  }
  const below = segments.slice(above.length).map((segment) => (segment === "+" ? any : segment));
  return prefix + below.join("/") + (glob ? any : "");
}

/**
 * Reports whether anything is granted on a path prefix that ends with a slash, or below it (P 9.3).
 */
export function grantsBelow({ find, exact, wild }: RuleIndex, prefix: string): boolean {
  if ([prefix, prefix + any].some((path) => grantsAny(find(path)))) return true;
  const isReached = (pattern: string, grant: Grant): boolean => {
    if (!grantsAny(grant)) return false;
    const sample = sampleOf(pattern, prefix);
    // another rule may decide there
    return sample !== undefined && grantsAny(find(sample));
  };
  for (const [path, grant] of exact)
    if (path.startsWith(prefix) && isReached(path, grant)) return true;
  return wild.some((grant) => isReached(grant.pattern, grant));
}
