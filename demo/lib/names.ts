/**
 * Returns an unused name: the given name if it is free or empty, otherwise the name with the first
 * free number.
 */
export function freeName(name: string, used: readonly string[]): string {
  let free = name;
  for (let n = 2; free !== "" && used.includes(free); n++) free = `${name}-${n}`;
  return free;
}

/**
 * Returns a name for the successor of a CA with the next generation number: `Acme Root G2` for
 * `Acme Root G1`. A name without a number gets `G2`.
 */
export const nextName = (name: string): string =>
  /(?<!\d)\d{1,3}$/.test(name)
    ? name.replace(/(?<!\d)\d{1,3}$/, (number) =>
        String(Number(number) + 1).padStart(number.length, "0"),
      )
    : `${name} G2`;

/**
 * Returns why an API name is invalid, or an empty string if it is valid. An empty name is valid.
 */
export const wrongName = (name: string): string =>
  name === "" || /^\w(?:[\w.-]*\w)?$/.test(name)
    ? ""
    : `${name}: not a valid name. Use letters, digits and _; . and - are allowed only between them`;
