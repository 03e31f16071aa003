import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync } from "vite";
import { expect, it } from "vitest";
import { root } from "./support/syntax.ts";

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}
/** A parsed file: its exported declarations, and what it re-exports. */
interface Module {
  readonly declarations: ReadonlyMap<string, Node>;
  /** By exported name; `*` for all. */
  readonly from: readonly (readonly [name: string, path: string, as: string])[];
  isDocumented(start: number): boolean;
  readonly isGenerated: boolean;
}

const modules = new Map<string, Module>();
function moduleAt(path: string): Module {
  const known = modules.get(path);
  if (known) return known;
  const text = readFileSync(join(root, path), "utf8");
  const { program, comments } = parseSync(path, text);
  const body = program.body as unknown as readonly Node[];
  const declarations = body.flatMap((node) => {
    if (node.type !== "ExportNamedDeclaration" || !node["declaration"]) return [];
    const declared = node["declaration"] as Node;
    const names = (declared["declarations"] ?? [declared]) as readonly Node[];
    // the comment stands before `export`
    return names.map(({ id }) => [nameOf(id), { ...declared, start: node.start }] as const);
  });
  const from = body.flatMap((node) => {
    const source = (node["source"] as { readonly value?: string } | null)?.value;
    if (!node.type.startsWith("Export") || !source?.startsWith(".")) return [];
    const file = posix.join(posix.dirname(path), source);
    if (node.type === "ExportAllDeclaration") return [["*", file, "*"] as const];
    return (node["specifiers"] as readonly Node[]).map(
      ({ exported, local }) => [nameOf(exported), file, nameOf(local)] as const,
    );
  });
  const docs = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"));
  const made: Module = {
    declarations: new Map(declarations),
    from,
    isDocumented: (start) =>
      docs.some(({ end }) => end <= start && text.slice(end, start).trim() === ""),
    isGenerated: text.startsWith("// Made by `npm run generate`"),
  };
  modules.set(path, made);
  return made;
}
const nameOf = (id: unknown): string => (id as { readonly name?: string } | null)?.name ?? "";

/** Returns the file and the name of each export of a file, followed to its declaration. */
function exportsOf(path: string): readonly (readonly [path: string, name: string])[] {
  const { declarations, from } = moduleAt(path);
  return [
    ...[...declarations.keys()].map((name) => [path, name] as const),
    ...from.flatMap(([, file, name]) =>
      exportsOf(file).filter(([, exported]) => name === "*" || exported === name),
    ),
  ];
}

/** Returns the members of a type or class that have no comment, as paths. */
function silentMembers(at: Module, value: unknown, name: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => silentMembers(at, one, name));
  if (typeof value !== "object" || value === null) return [];
  const node = value as Node;
  const isMember =
    /^(TSPropertySignature|TSMethodSignature|PropertyDefinition|MethodDefinition)$/.test(
      node.type,
    ) &&
    (node["key"] as Node).type !== "PrivateIdentifier" &&
    node["kind"] !== "constructor" &&
    node["override"] !== true &&
    // a member of an alternative, which must not be sent with this one
    annotationOf(node) !== "TSUndefinedKeyword";
  const path = isMember ? `${name}.${nameOf(node["key"])}` : name;
  return [
    ...(isMember && !at.isDocumented(node.start) ? [path] : []),
    ...Object.entries(node)
      // parameters, bodies and conditions have no reference
      .filter(
        ([member]) =>
          !/^(?:value|params|init|extendsType)$/.test(member) &&
          (member !== "body" || /Body$|^TSInterface|^Class/.test(node.type)),
      )
      .flatMap(([, child]) => silentMembers(at, child, path)),
  ];
}

const annotationOf = (member: Node): string | undefined =>
  (member["typeAnnotation"] as { readonly typeAnnotation?: Node } | null)?.typeAnnotation?.type;

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly types: string }>>;
};

it.each(Object.entries(exports))(
  "every export of %s, and every member of its types, has reference documentation",
  (_, { types }) => {
    const path = types.replace(/^\.\/dist\/types\//, "").replace(/\.d\.ts$/, ".ts");
    const silent = exportsOf(path).flatMap(([file, name]) => {
      const at = moduleAt(file);
      const node = at.declarations.get(name);
      // JSON:API documents of the variables API are described by its reference
      if (!node || file === "src/client/vars.ts") return [];
      // the names of generated types say it: `IssueInput` belongs to the method `issue`
      const own = at.isGenerated || at.isDocumented(node.start) ? [] : [name];
      return [...own, ...silentMembers(at, node, name)];
    });
    expect([...new Set(silent)]).toEqual([]);
  },
);
