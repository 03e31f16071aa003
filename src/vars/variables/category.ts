import type { VarsSettings } from "../rows/settings.ts";
import type { VariableKind, Spelling, VariableRow } from "../rows/rows.ts";

/** The two APIs for variables: the deprecated `/vars`, and the workspace's own paths. */
export type Surface = "vars" | "scoped";

/** A category in a request. */
export interface Category {
  readonly kind: VariableKind;
  readonly spelling?: Spelling;
}
const categories: ReadonlyMap<unknown, Category> = new Map([
  ["iac", { kind: "provisioning", spelling: "iac" }],
  ["terraform", { kind: "provisioning", spelling: "terraform" }],
  ["env", { kind: "env" }],
] as const);
/** Parses a category. Calls `fault` if it is invalid. */
export function readCategory(
  sent: unknown,
  demanded: boolean,
  fault: (attribute: string, sentence: string) => void,
): Category | undefined {
  if (sent === undefined || sent === null || sent === "") {
    if (demanded || sent === "") fault("category", "Category can't be blank");
    return undefined;
  }
  const category = categories.get(sent);
  if (!category) fault("category", "Category is not included in the list");
  return category;
}

/**
 * Returns the category names to store after a write: the name last written, and the name last
 * written through the workspace's own paths (V 4.3).
 */
export function spellingsAfter(
  stored: Pick<VariableRow, "spelling" | "scoped">,
  category: Category | undefined,
  surface: Surface,
): Pick<VariableRow, "spelling" | "scoped"> {
  const spelling = category?.spelling ?? stored.spelling;
  const scoped = surface === "scoped" ? (category?.spelling ?? stored.scoped) : stored.scoped;
  return {
    ...(spelling === undefined ? {} : { spelling }),
    ...(scoped === undefined ? {} : { scoped }),
  };
}
/** Returns a variable's category name in responses of the given API. */
export function categoryOf(
  row: VariableRow,
  surface: Surface,
  { categorySpelling = "echo" }: VarsSettings = {},
): "env" | Spelling {
  if (row.kind === "env") return "env";
  if (categorySpelling !== "echo") return categorySpelling;
  return (surface === "vars" ? row.spelling : row.scoped) ?? "terraform";
}
