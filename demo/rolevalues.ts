import type { Role } from "./pki.ts";
import { groups, type Control, type RoleField } from "./rolefields.ts";
import { duration, plain, roleSeconds, seconds } from "./words.ts";

/** A role as the controls of its editor hold it. */
export type Values = Readonly<Record<string, string | boolean>>;

const fields: readonly RoleField[] = groups.flatMap((group) => group.fields);

/** The controls for a role. */
export function valuesOf(role: Role): Values {
  const joined = (value: unknown, by: string): string => (Array.isArray(value) ? value.map(String).join(by) : plain(value));
  const shown = (name: string, control: Control): string | boolean => {
    if (control === "flag") return role[name] === true;
    if (control === "duration") return duration(roleSeconds(role[name]));
    return joined(role[name], control === "lines" ? "\n" : ", ");
  };
  return Object.fromEntries(fields.map(([name, , control]) => [name, shown(name, control)]));
}

/** What the controls hold as fields of the API. */
export function roleOf(values: Values): Role {
  const read = ([name, , control]: RoleField): unknown => {
    const value = values[name];
    if (typeof value !== "string") return value === true;
    if (control === "int") return Number(value) || 0;
    if (control === "list") return value.split(/[\s,]+/).filter(Boolean);
    if (control === "lines") return value.split("\n").flatMap((line) => line.trim() || []);
    if (control === "duration") return value.trim() === "" ? 0 : (seconds(value) ?? value);
    return value.trim();
  };
  return Object.fromEntries(fields.map((field) => [field[0], read(field)]));
}

/** The fields that somebody changed, and only those. */
export function changesOf(values: Values, role: Role): Role {
  const held = valuesOf(role);
  return Object.fromEntries(Object.entries(roleOf(values)).filter(([name]) => values[name] !== held[name]));
}

/** What cannot be sent, by field. */
export function wrong(values: Values): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, , control] of fields) {
    const value = String(values[name] ?? "").trim();
    if (control === "duration" && value !== "" && seconds(value) === undefined) found[name] = `${value}: not a duration. Write 90d, 72h, 30m or seconds`;
    if (control === "int" && !/^\d*$/.test(value)) found[name] = `${value}: not a whole number`;
  }
  const [ttl, most] = [seconds(String(values["ttl"] ?? "")) ?? 0, seconds(String(values["max_ttl"] ?? "")) ?? 0];
  if (most > 0 && ttl > most) found["ttl"] = "Longer than the longest";
  return found;
}
