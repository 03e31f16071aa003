import type { Entity } from "../engine/ports.ts";
import { refusePolicy } from "./refuse.ts";

/** Maximum length of a pattern in characters. */
const maxLength = 1024;
/** A template in a pattern. */
interface Template {
  valueOf(entity: Entity): string | undefined;
  /** Whether only operators can set the value, so that slashes in it are intentional. */
  readonly trusted: boolean;
}
/** A path pattern in a policy (P 9.5.1). */
export interface Pattern {
  /** The pattern as written, without the leading slash. */
  readonly source: string;
  /** Whether the pattern ends with a star, so that it matches every path with this prefix. */
  readonly glob: boolean;
  /** The literal parts and templates, without the final star. */
  readonly pieces: readonly (string | Template)[];
}
/** A pattern whose templates have been replaced by their values. */
export interface RenderedPattern {
  /** The segments. An undefined segment matches any single segment. */
  readonly segments: readonly (string | undefined)[];
  readonly glob: boolean;
  /** The pattern as text, for display. */
  readonly text: string;
  /** Whether everything that the pattern matches is denied, because of a character in a value. */
  readonly denies: boolean;
}

/** Parses a pattern. Throws `malformed` with the line number if it is not valid. */
export function parsePattern(written: string, line: number): Pattern {
  const source = written.startsWith("/") ? written.slice(1) : written;
  if (source === "") return refusePolicy(line, "the path is empty");
  if (source.length > maxLength)
    return refusePolicy(line, `the path must have at most ${maxLength} characters`);
  // oxlint-disable-next-line no-control-regex -- the pattern finds control characters
  if (/[\u0000-\u001f\u007f]/.test(source))
    return refusePolicy(line, "the path must not contain control characters");
  const glob = source.endsWith("*");
  const pieces: (string | Template)[] = [];
  const parts = (glob ? source.slice(0, -1) : source).split("{{");
  for (const [index, part] of parts.entries()) {
    const end = part.indexOf("}}");
    if ((index === 0) !== end < 0) return refusePolicy(line, "the path has an unmatched {{ or }}");
    const after = index === 0 ? part : part.slice(end + 2);
    if (after.includes("}}")) return refusePolicy(line, "the path has an unmatched {{ or }}");
    if (index > 0) pieces.push(parseTemplate(part.slice(0, end).trim(), line));
    pieces.push(after);
  }
  if (
    source.endsWith("+*") ||
    pieces.some((piece) => typeof piece === "string" && piece.includes("+*"))
  )
    return refusePolicy(line, "the path contains +*, but a star cannot follow a segment wildcard");
  return { source, glob, pieces };
}

const own = (
  values: Readonly<Record<string, string>> | undefined,
  name: string,
): string | undefined =>
  values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
/** The values of an entity, an alias or a group that templates can use. */
interface Subject {
  readonly id: string;
  readonly name: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly custom_metadata?: Readonly<Record<string, string>>;
}
const fieldName = /^(?:id|name|(metadata|custom_metadata)\.(.+))$/;
function valueIn(subject: Subject | undefined, field: string): string | undefined {
  if (field === "id" || field === "name") return subject?.[field];
  const [, map, key = ""] = fieldName.exec(field) ?? [];
  return own(map === "custom_metadata" ? subject?.custom_metadata : subject?.metadata, key);
}
/** Parses the text between the braces: `identity.entity.…` or `identity.groups.…`. */
function parseTemplate(inner: string, line: number): Template {
  const [, accessor, ofAlias] = /^identity\.entity\.aliases\.([\w-]+)\.(.+)$/.exec(inner) ?? [];
  const [, by, group, ofGroup] = /^identity\.groups\.(ids|names)\.([^.]+)\.(.+)$/.exec(inner) ?? [];
  const [, ofEntity] = /^identity\.entity\.(.+)$/.exec(inner) ?? [];
  const field = ofAlias ?? ofGroup ?? ofEntity ?? "";
  const map = fieldName.exec(field);
  if (!map || (map[1] === "custom_metadata" && accessor === undefined))
    return refusePolicy(line, `unknown template {{${inner.slice(0, 64)}}}`);
  const subjectOf = ({ aliases, groups, ...entity }: Entity): Subject | undefined => {
    if (accessor !== undefined)
      return Object.hasOwn(aliases, accessor) ? aliases[accessor] : undefined;
    if (by === undefined) return entity;
    return groups.find(({ id, name }) => (by === "ids" ? id : name) === group);
  };
  return {
    trusted: map[1] === "custom_metadata" || (map[1] === "metadata" && accessor === undefined),
    valueOf: (entity) => valueIn(subjectOf(entity), field),
  };
}

/**
 * Matches characters that would let a value match more than its own segment, and the sign for
 * kelvin, which is a `k` in names that ignore case.
 */
// oxlint-disable-next-line no-control-regex -- the pattern finds control characters
const spreads = /[*+\u0000-\u001f\u007f\u212a]/;
/**
 * Replaces templates by an entity's values. Returns undefined if a value is missing or empty. A
 * star or a plus in a value is literal. Some characters in a value turn the rule into a denial: a
 * star, a plus, a control character, the sign for kelvin and, if the value comes from a login, a
 * slash (P 9.5.1).
 */
export function renderPattern(
  { pieces, glob }: Pattern,
  entity?: Entity,
): RenderedPattern | undefined {
  const segments: (string | undefined)[] = [];
  let [last, written, denies] = ["", true, false];
  const end = () => void segments.push(written && last === "+" ? undefined : last);
  const add = (text: string, isWritten: boolean): void => {
    for (const [index, part] of text.split("/").entries()) {
      if (index > 0) {
        end();
        [last, written] = ["", true];
      }
      last += part;
      if (part !== "") written &&= isWritten;
    }
  };
  for (const piece of pieces) {
    if (typeof piece === "string") add(piece, true);
    else {
      const value = entity && piece.valueOf(entity);
      if (value === undefined || value === "") return undefined;
      denies ||= spreads.test(value) || (!piece.trusted && value.includes("/"));
      add(value, false);
    }
  }
  end();
  const text = segments.map((segment) => segment ?? "+").join("/") + (glob ? "*" : "");
  return { segments, glob, denies, text };
}
