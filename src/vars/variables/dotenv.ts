import type { Pieces } from "../jsonapi/pieces.ts";
import type { KeyRow, VariableRow } from "../rows/rows.ts";
import type { Portions } from "./read-variables.ts";

/** Returns the value of a variable, or undefined if the variable is sensitive. */
export const plainValue = (row: VariableRow): string | undefined =>
  !row.sensitive && typeof row.value === "string" ? row.value : undefined;

const nameOf = ({ kind, key }: Pick<VariableRow, "kind" | "key">): string =>
  kind === "env" ? key : `TF_VAR_${key}`;
/** Yields variables as a dotenv file. `keys` are the keys of all variables in the workspace. */
export async function* dotenvPieces(portions: Portions, keys: readonly KeyRow[]): Pieces {
  const provisioning = new Set(keys.filter(({ kind }) => kind === "provisioning").map(nameOf));
  for await (const rows of portions) yield dotenvLines(rows, provisioning);
}
function* dotenvLines(
  rows: readonly VariableRow[],
  provisioning: ReadonlySet<string>,
): Iterable<string> {
  for (const row of rows) {
    if (row.kind === "env" && provisioning.has(row.key))
      yield comment(
        row.key,
        "omitted, because the provisioning variable of the same name takes precedence",
      );
    else yield dotenvLine(row);
  }
}
/**
 * Returns a comment line. Replaces characters in the name that some parsers treat as line ends,
 * because they would read the rest of the comment as a separate line.
 */
const comment = (name: string, why: string): string =>
  `# ${name.replace(/[\u2028\u2029]/g, "?")}: ${why}\n`;
/**
 * Returns a variable as a line that a POSIX shell can read. Other dotenv parsers can read it too,
 * unless a comment says otherwise. Provisioning variables get the prefix that Terraform expects.
 */
function dotenvLine(row: VariableRow): string {
  const [name, value] = [nameOf(row), plainValue(row)];
  if (!/^[A-Za-z_]\w*$/.test(name)) return comment(name, "not a valid shell variable name");
  if (value === undefined) return comment(name, "sensitive, its value is not shown");
  if (value.includes("\0"))
    return comment(
      name,
      "its value contains a NUL character, which shell variables cannot contain",
    );
  const lines = assignment(name, value);
  return readersAgree(value)
    ? lines
    : `${comment(name, "quoted for a POSIX shell; other dotenv readers may interpret backslashes and quotes differently")}${lines}`;
}
/**
 * Returns lines that assign a value to a name. A POSIX shell reads exactly the value. Every other
 * parser at least finds the same end of the value, whether or not it interprets backslashes, so
 * that other lines stay intact. Two kinds of values need special treatment:
 *
 * - If the value ends with a backslash, `${NAME+}`, which is empty, separates it from the closing
 *   quote.
 * - If a parser without escapes would treat a quote in the value as its end, the first line sets
 *   the name to a quote, and `${NAME}` in the second line stands for each quote.
 */
export function assignment(name: string, value: string): string {
  const last = value.endsWith("\\") ? `\${${name}+}` : "";
  if (!value.includes("'") && last === "") return `${name}='${value}'\n`;
  const apart = /"[^]*[\r\n]/.test(value);
  const inside = value.replace(/["\\$`]/g, (mark) =>
    mark === '"' && apart ? `\${${name}}` : `\\${mark}`,
  );
  return `${apart ? `${name}='"'\n` : ""}${name}="${inside}${last}"\n`;
}
/**
 * Reports whether all dotenv parsers read a value the same way. They differ in the treatment of
 * backslashes, `${` and carriage returns, and in the escaping of a value with both kinds of quotes.
 */
const readersAgree = (value: string): boolean =>
  !/[\\\r]|\$\{/.test(value) && !(value.includes("'") && /["$`]/.test(value));
