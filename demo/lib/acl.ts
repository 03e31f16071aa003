/**
 * The combined policy rules of a token, by exact path and by pattern. The first pattern that
 * matches a path decides.
 */
export interface Acl {
  readonly root: boolean;
  readonly exact_paths: Readonly<Record<string, PathRule>>;
  readonly glob_paths: Readonly<Record<string, PathRule>>;
}
interface PathRule {
  readonly capabilities: readonly string[];
}

/** Reports whether a pattern matches a path. A pattern without `+` is a prefix. */
function isMatch(pattern: string, path: string): boolean {
  const patternSegments = pattern.split("/");
  if (!patternSegments.includes("+")) return path.startsWith(pattern);
  const segments = path.split("/");
  const hasStar = pattern.endsWith("*");
  if (
    hasStar ? segments.length < patternSegments.length : segments.length !== patternSegments.length
  )
    return false;
  return patternSegments.every((one, i) => {
    const segment = segments[i] ?? "";
    if (one === "+") return true;
    if (hasStar && i === patternSegments.length - 1) return segment.startsWith(one.slice(0, -1));
    return segment === one;
  });
}

const capabilitiesOn = ({ exact_paths, glob_paths }: Acl, path: string): readonly string[] =>
  (
    exact_paths[path] ??
    exact_paths[path.replace(/\/$/, "")] ??
    Object.entries(glob_paths).find(([pattern]) => isMatch(pattern, path))?.[1]
  )?.capabilities ?? [];

const fold = (rules: Acl["exact_paths"]): Acl["exact_paths"] => {
  const folded: Record<string, PathRule> = {};
  for (const [path, { capabilities }] of Object.entries(rules)) {
    const key = path.toLowerCase();
    folded[key] = { capabilities: [...(folded[key]?.capabilities ?? []), ...capabilities] };
  }
  return folded;
};
/** Rules with lowercase paths, cached because each view checks many paths. */
const foldedRules = new WeakMap<Acl, Acl>();
function withoutCase(acl: Acl): Acl {
  const folded = foldedRules.get(acl) ?? {
    ...acl,
    exact_paths: fold(acl.exact_paths),
    glob_paths: fold(acl.glob_paths),
  };
  foldedRules.set(acl, folded);
  return folded;
}

/**
 * Reports whether rules grant a capability on a path, which ends with a slash for a listing. A rule
 * also applies if its path differs only in case, because the server ignores the case of some names.
 */
export const isGranted = (acl: Acl, capability: string, path: string): boolean =>
  acl.root ||
  capabilitiesOn(acl, path).includes(capability) ||
  capabilitiesOn(withoutCase(acl), path.toLowerCase()).includes(capability);

/** Returns the sorted names under a prefix for whose exact paths the rules grant a capability. */
export const namesGranted = (acl: Acl, capability: string, prefix: string): readonly string[] =>
  Object.entries(acl.exact_paths)
    .filter(([path, rule]) => path.startsWith(prefix) && rule.capabilities.includes(capability))
    .map(([path]) => path.slice(prefix.length))
    .filter((name) => name !== "" && !name.includes("/"))
    .toSorted();

/** Reports whether a pattern with `+` matches a path under a prefix. */
function reachesBelow(pattern: string, prefix: string): boolean {
  const [segments, above] = [pattern.split("/"), prefix.split("/").slice(0, -1)];
  return (
    segments.length > above.length &&
    above.every((segment, i) => segments[i] === "+" || segments[i] === segment)
  );
}

/** Reports whether rules grant a capability on any path under a prefix. */
export function grantsBelow(acl: Acl, capability: string, prefix: string): boolean {
  const grants = (rule: PathRule): boolean => rule.capabilities.includes(capability);
  return (
    isGranted(acl, capability, `${prefix}?`) ||
    Object.entries(acl.exact_paths).some(
      ([path, rule]) => path.startsWith(prefix) && grants(rule),
    ) ||
    Object.entries(acl.glob_paths).some(
      ([pattern, rule]) =>
        grants(rule) && (pattern.startsWith(prefix) || reachesBelow(pattern, prefix)),
    )
  );
}
