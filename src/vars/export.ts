import { endpoint } from "../wire/endpoint.ts";
import { parameter } from "./document.ts";
import { badFilter } from "./fault.ts";
import { placeOf } from "./rights.ts";
import type { VariableRow } from "./rows.ts";
import { settingsOf } from "./settings.ts";
import { variablesIn } from "./store.ts";
import { bytes } from "./style.ts";
import { categoryOf } from "./variable.ts";

export const exportVars = endpoint({
  id: "exportVars",
  at: ["GET /workspaces/:workspace_id/vars/export"],
  access: "token",
  style: bytes,
  doc: "Gives the variables of a workspace as a dotenv file, or as JSON that the bulk call takes. Sensitive values are left out. Not part of the documented API.",
  body: { format: parameter("`dotenv` (the default) or `json`.") },
  reply: {},
  refuses: ["not_found", "malformed"],
  run: async (ca, { workspace_id, format = "dotenv" }, caller) => {
    const { workspace } = await placeOf(ca, caller.id, workspace_id, "readVariables");
    if (format !== "dotenv" && format !== "json") throw badFilter("format must be dotenv or json", "format");
    const rows = await variablesIn(ca, workspace.id);
    if (format === "dotenv") return { type: "text/plain; charset=utf-8", bytes: rows.map((row) => `${dotenvLine(row)}\n`).join("") };
    const settings = settingsOf(ca.ports);
    const data = rows.map((row) => ({
      type: "vars",
      attributes: {
        key: row.key,
        value: plainValue(row) ?? null,
        description: row.description,
        category: categoryOf(row, "scoped", settings),
        hcl: row.hcl,
        sensitive: row.sensitive,
      },
    }));
    return { type: "application/json", bytes: `${JSON.stringify({ data }, undefined, 2)}\n` };
  },
});
const plainValue = (row: VariableRow): string | undefined => (!row.sensitive && typeof row.value === "string" ? row.value : undefined);

/** One variable as a line that a POSIX shell and dotenv readers take; what they cannot hold is told in a comment. Provisioning variables get the prefix that the tool reads. */
function dotenvLine(row: VariableRow): string {
  const name = row.kind === "env" ? row.key : `TF_VAR_${row.key}`;
  const value = plainValue(row);
  if (!/^[A-Za-z_]\w*$/.test(name)) return `# ${name}: not a name that a shell takes`;
  if (value === undefined) return `# ${name}: sensitive, its value is not shown`;
  if (value.includes("\0")) return `# ${name}: its value has a NUL character, which a shell does not take`;
  return `${name}=${quoted(value)}`;
}
const quoted = (value: string): string => (value.includes("'") ? `"${value.replace(/["\\$`]/g, "\\$&")}"` : `'${value}'`);
