/** A rule of the naive implementation: its pattern as written, and a mark that identifies it. */
export interface Written {
  readonly pattern: string;
  readonly mark: string;
}

const segmentsOf = (text: string): readonly string[] => text.split("/");
/** Reports whether a pattern matches, as P 9.5.1 says word for word. */
function matches(pattern: string, path: string): boolean {
  const glob = pattern.endsWith("*");
  const wanted = segmentsOf(glob ? pattern.slice(0, -1) : pattern);
  const given = segmentsOf(path);
  if (glob ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((segment, at) => {
    const own = given[at] ?? "";
    if (glob && at === wanted.length - 1) return own.startsWith(segment);
    return segment === "+" || segment === own;
  });
}
const isWild = (pattern: string): boolean =>
  pattern.endsWith("*") || segmentsOf(pattern).includes("+");
function firstWildcard(pattern: string): number {
  for (let at = 0; at < pattern.length; at++) {
    const whole =
      pattern[at] === "+" &&
      (at === 0 || pattern[at - 1] === "/") &&
      (at === pattern.length - 1 || pattern[at + 1] === "/");
    if (whole || (pattern[at] === "*" && at === pattern.length - 1)) return at;
  }
  return pattern.length;
}

/** Returns the rule that decides for a path, by checking all of them. */
export function decisive(rules: readonly Written[], path: string, list: boolean) {
  const asked = list && !path.endsWith("/") ? `${path}/` : path;
  const exact = rules.filter(({ pattern }) => !isWild(pattern));
  const spellings = asked.endsWith("/") ? [asked, asked.slice(0, -1)] : [asked];
  for (const spelling of spellings) {
    const found = exact.find(({ pattern }) => pattern === spelling);
    if (found) return found;
  }
  const fitting = rules.filter(({ pattern }) => isWild(pattern) && matches(pattern, asked));
  const criteria: readonly ((pattern: string) => number | string)[] = [
    firstWildcard,
    (pattern) => Number(!pattern.endsWith("*")),
    (pattern) => -segmentsOf(pattern).filter((segment) => segment === "+").length,
    (pattern) => pattern.length,
    (pattern) => pattern,
  ];
  let left = fitting;
  for (const criterion of criteria) {
    const values = left.map(({ pattern }) => criterion(pattern));
    const max = values.reduce((a, b) => (b > a ? b : a), values[0] ?? 0);
    left = left.filter(({ pattern }) => criterion(pattern) === max);
  }
  return left[0];
}
