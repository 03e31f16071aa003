import { parseDuration } from "../base/duration.ts";
import { admitsParameters } from "./parameters.ts";
import { parsePattern, type Pattern } from "./pattern.ts";
import { refusePolicy } from "./refuse.ts";
import { capabilities, type ParameterValues, type PolicyCapability, type Rule } from "./rule.ts";
import { readMembers, type Member, type Node, type Value } from "./text.ts";

/** A block of a policy: the rules for a pattern. */
export interface PathRule {
  readonly pattern: Pattern;
  readonly rule: Rule;
}
/** A parsed policy: the blocks that its text contains. */
export interface Policy {
  readonly rules: readonly PathRule[];
  /** Checks parameters against a rule. Absent for a policy that was not parsed. */
  readonly admits?: typeof admitsParameters;
}

/** The capabilities for each value of the `policy` attribute, which old policies use. */
const shorthands: Readonly<Record<string, readonly PolicyCapability[]>> = {
  deny: ["deny"],
  read: ["read", "list"],
  write: ["create", "read", "update", "delete", "list"],
  sudo: ["create", "read", "update", "delete", "list", "sudo"],
};

/**
 * Parses a policy in HCL or JSON (P 9.5.1). Throws `malformed` with a message such as `failed to
 * parse policy: line 3: …`.
 */
export function parsePolicy(text: string): Policy {
  return { rules: readMembers(text).flatMap(rulesIn), admits: admitsParameters };
}
function rulesIn(member: Member): readonly PathRule[] {
  const { name, labels, line, value } = member;
  if (name === "name" && labels.length === 0) {
    textOf(member);
    return [];
  }
  if (name !== "path") return refusePolicy(line, `unknown key "${name.slice(0, 64)}"`);
  const [label] = labels;
  if (labels.length === 1 && label !== undefined) return [ruleOf(label, member)];
  if (labels.length > 1) return refusePolicy(line, "a path must have exactly one pattern");
  // in JSON, the patterns are the names of members, which are unique
  return membersOf({ line, value }).map((inner) => ruleOf(inner.name, inner));
}

function ruleOf(pattern: string, block: Member): PathRule {
  const values: Partial<Record<Attribute, unknown>> = {};
  for (const member of membersOf(block)) {
    const { name, line, labels } = member;
    if (!isAttribute(name) || labels.length > 0)
      return refusePolicy(
        line,
        `unknown key "${name.slice(0, 64)}" in path "${pattern.slice(0, 64)}"`,
      );
    values[name] = readers[name](member);
  }
  // each reader returns a value of the attribute's type
  const attributes = values as { readonly [K in Attribute]?: ReturnType<(typeof readers)[K]> };
  const [minWrap, maxWrap] = [attributes.min_wrapping_ttl ?? 0, attributes.max_wrapping_ttl ?? 0];
  if (maxWrap > 0 && minWrap > maxWrap)
    refusePolicy(block.line, "min_wrapping_ttl is greater than max_wrapping_ttl");
  const granted = [...new Set([...(attributes.capabilities ?? []), ...(attributes.policy ?? [])])];
  return {
    pattern: parsePattern(pattern, block.line),
    rule: {
      capabilities: granted.includes("deny") ? ["deny"] : granted,
      allowed: attributes.allowed_parameters ?? new Map(),
      denied: attributes.denied_parameters ?? new Map(),
      required: attributes.required_parameters ?? [],
      minWrap,
      maxWrap,
    },
  };
}

type Attribute = keyof typeof readers;
const isAttribute = (name: string): name is Attribute => Object.hasOwn(readers, name);
/** Parsers for the attributes of a path, by attribute name. */
const readers = {
  capabilities: (node: Node) => itemsOf(node).map(capabilityOf),
  policy: (node: Node) => {
    const text = textOf(node);
    return Object.hasOwn(shorthands, text)
      ? shorthands[text]
      : refusePolicy(
          node.line,
          `invalid policy "${text.slice(0, 64)}"; use deny, read, write or sudo`,
        );
  },
  allowed_parameters: parametersOf,
  denied_parameters: parametersOf,
  required_parameters: (node: Node) => [
    ...new Set(itemsOf(node).map((item) => textOf(item).toLowerCase())),
  ],
  min_wrapping_ttl: secondsOf,
  max_wrapping_ttl: secondsOf,
  comment: textOf,
};
function capabilityOf(node: Node): PolicyCapability {
  const text = textOf(node);
  return (
    capabilities.find((one) => one === text) ??
    refusePolicy(node.line, `unknown capability "${text.slice(0, 64)}"`)
  );
}
function parametersOf(node: Node): ParameterValues {
  const values = new Map<string, readonly unknown[]>();
  for (const member of membersOf(node)) {
    const name = member.name.toLowerCase();
    if (values.has(name) || member.labels.length > 0)
      refusePolicy(member.line, `duplicate parameter "${name.slice(0, 64)}"`);
    values.set(
      name,
      itemsOf(member).map(({ value }) => plain(value)),
    );
  }
  return values;
}
function secondsOf({ line, value }: Node): number {
  try {
    return parseDuration(plain(value)) ?? 0;
  } catch (error) {
    return refusePolicy(line, error instanceof Error ? error.message : "invalid duration");
  }
}

const isObject = (value: Value): value is Extract<Value, object> =>
  typeof value === "object" && value !== null;
function textOf({ line, value }: Node): string {
  return typeof value === "string" ? value : refusePolicy(line, "expected a string");
}
const itemsOf = ({ line, value }: Node): readonly Node[] =>
  isObject(value) && "list" in value ? value.list : refusePolicy(line, "expected a list");
const membersOf = ({ line, value }: Node): readonly Member[] =>
  isObject(value) && "members" in value ? value.members : refusePolicy(line, "expected a map");
/** Converts a value to plain JSON. */
function plain(value: Value): unknown {
  if (!isObject(value)) return value;
  if ("list" in value) return value.list.map((item) => plain(item.value));
  return Object.fromEntries(value.members.map((member) => [member.name, plain(member.value)]));
}
