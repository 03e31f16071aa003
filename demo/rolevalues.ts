import type { Role } from "./pki.ts";
import { groups, type Control, type RoleField } from "./rolefields.ts";
import { duration, plain, roleSeconds, seconds } from "./words.ts";

/** A role as the controls of its editor hold it. */
export type Values = Readonly<Record<string, string | boolean>>;

const fields: readonly RoleField[] = groups.flatMap((group) => group.fields);

/** The controls for a role. */
export function valuesOf(role: Role): Values {
  const joined = (value: unknown, by: string): string =>
    Array.isArray(value) ? value.map(String).join(by) : plain(value);
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
  return Object.fromEntries(
    Object.entries(roleOf(values)).filter(([name]) => values[name] !== held[name]),
  );
}

/** The sizes of a kind of key, the usual one first; a kind that is not here has one size only. */
const sizes: Readonly<Record<string, readonly number[]>> = {
  rsa: [2048, 3072, 4096, 8192],
  ec: [256, 224, 384, 521],
};

/**
 * The controls with one of them changed; another kind of key brings a size that fits it, that of
 * the saved `role` where it has this kind.
 */
export function withValue(
  values: Values,
  name: string,
  value: string | boolean,
  role: Role,
): Values {
  const next = { ...values, [name]: value };
  if (name !== "key_type") return next;
  const saved = valuesOf(role);
  return {
    ...next,
    key_bits:
      value === saved["key_type"]
        ? (saved["key_bits"] ?? "0")
        : String(sizes[String(value)]?.[0] ?? 0),
  };
}

/**
 * The controls after a role was saved as `sent`: as the authority has it now, but for what was
 * typed meanwhile.
 */
export function valuesAfter(values: Values, sent: Values, saved: Role): Values {
  return Object.fromEntries(
    Object.entries(valuesOf(saved)).map(([name, value]) => [
      name,
      values[name] === sent[name] ? value : (values[name] ?? value),
    ]),
  );
}

/** What cannot be sent, by field. */
export function wrong(values: Values): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, , control] of fields) {
    const value = String(values[name] ?? "").trim();
    if (control === "duration" && value !== "" && seconds(value) === undefined)
      found[name] = `${value}: not a duration. Write 90d, 72h, 1h30m or seconds`;
    if (control === "int" && !/^\d*$/.test(value)) found[name] = `${value}: not a whole number`;
  }
  const kind = String(values["key_type"] ?? "");
  const [bits, fit] = [Number(values["key_bits"] || 0), sizes[kind]?.toSorted((a, b) => a - b)];
  if (bits > 0 && fit && !fit.includes(bits))
    found["key_bits"] = `${bits}: ${kind} has ${fit.slice(0, -1).join(", ")} or ${fit.at(-1)}`;
  const [ttl, most] = [
    seconds(String(values["ttl"] ?? "")) ?? 0,
    seconds(String(values["max_ttl"] ?? "")) ?? 0,
  ];
  if (most > 0 && ttl > most)
    found["ttl"] = `Default exceeds the maximum (${String(values["max_ttl"]).trim()})`;
  return found;
}
