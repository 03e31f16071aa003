import type { Pieces } from "../jsonapi/pieces.ts";
import type { KeyRow, VariableRow } from "../rows/rows.ts";
import type { Portions } from "./read-variables.ts";

/** A value that may be shown. */
export const plainValue = (row: VariableRow): string | undefined =>
  !row.sensitive && typeof row.value === "string" ? row.value : undefined;

const nameOf = ({ kind, key }: Pick<VariableRow, "kind" | "key">): string =>
  kind === "env" ? key : `TF_VAR_${key}`;
/** Variables as a dotenv file; `keys` are those of the whole workspace. */
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
 * What readers of some languages take for the end of a line stands in no comment: what follows
 * would be a line of its own.
 */
const comment = (name: string, why: string): string =>
  `# ${name.replace(/[\u2028\u2029]/g, "?")}: ${why}\n`;
/**
 * One variable as a line that a POSIX shell takes, and other dotenv readers too unless a comment
 * says otherwise. Provisioning variables get the prefix that the tool reads.
 */
function dotenvLine(row: VariableRow): string {
  const [name, value] = [nameOf(row), plainValue(row)];
  if (!/^[A-Za-z_]\w*$/.test(name)) return comment(name, "not a valid shell variable name");
  if (value === undefined) return comment(name, "sensitive, its value is not shown");
  if (value.includes("\0"))
    return comment(name, "its value contains a NUL character, which a shell cannot hold");
  const lines = assignment(name, value);
  return readersAgree(value)
    ? lines
    : `${comment(name, "quoted for a POSIX shell; other dotenv readers may interpret backslashes and quotes differently")}${lines}`;
}
/**
 * Gives a name a value, exactly so in a POSIX shell, and in a way that every reader sees the same
 * end, whether a backslash means something to it or not: whatever a reader makes of the value, the
 * other lines are what they are. So `${NAME+}`, which is nothing, parts a last backslash from the
 * quote that closes, and where a reader that knows no escapes would go on behind a quote into the
 * next line, the name holds that quote first and `${NAME}` stands for it.
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
 * Dotenv readers differ in what a backslash means, in `${`, and in line ends; without these both
 * kinds of quotes mean one thing.
 */
const readersAgree = (value: string): boolean =>
  !/[\\\r]|\$\{/.test(value) && !(value.includes("'") && /["$`]/.test(value));
