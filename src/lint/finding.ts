/** A defect in a certificate or CRL. */
export interface Finding {
  readonly severity: "error" | "warning" | "info";
  /** Stable ID of the lint, such as `serial-number-short`. */
  readonly id: string;
  /** Source of the rule, such as `RFC 5280 4.1.2.2`. */
  readonly section: string;
  /** Description of the defect, including the value. */
  readonly rule: string;
}

/**
 * A rule with its severity, ID and source. `defect` returns a description of the defect, or
 * undefined if there is none.
 */
export type Lint<Subject> = readonly [
  severity: Finding["severity"],
  id: string,
  section: string,
  defect: (subject: Subject) => string | undefined,
];

const order: readonly Finding["severity"][] = ["error", "warning", "info"];

/** Returns the findings of all lints, errors first. */
export const findingsOf = <Subject>(
  lints: readonly Lint<Subject>[],
  subject: Subject,
): readonly Finding[] =>
  lints
    .flatMap(([severity, id, section, defect]): readonly Finding[] => {
      const rule = defect(subject);
      return rule === undefined ? [] : [{ severity, id, section, rule }];
    })
    .toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));

/** Returns `text` if the rule is broken, and undefined otherwise. */
export const when = (isBroken: boolean, text: string): string | undefined =>
  isBroken ? text : undefined;

/** Returns the first defect that `check` finds in a list. */
export function firstDefect<T>(
  list: readonly T[],
  check: (one: T) => string | undefined,
): string | undefined {
  for (const one of list) {
    const defect = check(one);
    if (defect !== undefined) return defect;
  }
  return undefined;
}

/** Returns the first element, if any, that repeats an earlier one. */
export function firstRepeated<T>(list: readonly T[]): T | undefined {
  const seen = new Set<T>();
  return list.find((one) => seen.size === seen.add(one).size);
}

/**
 * Quotes a value from a certificate, truncated to 80 characters, and escapes characters that are
 * not printable.
 */
export function quoted(value: string): string {
  const shown = value.length > 80 ? `${value.slice(0, 80)}…` : value;
  return `"${shown.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  )}"`;
}
