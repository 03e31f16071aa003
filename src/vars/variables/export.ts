import { storeEndpoint } from "../../wire/endpoint.ts";
import { parameter } from "../jsonapi/document.ts";
import { badFilter } from "../jsonapi/fault.ts";
import type { Pieces } from "../jsonapi/pieces.ts";
import { workspaceAccess } from "../rights/workspace-access.ts";
import type { VariableRow } from "../rows/rows.ts";
import { categoryOf } from "./category.ts";
import { dotenvPieces, plainValue } from "./dotenv.ts";
import { keyRowsIn, variablesOf, type Portions } from "./read-variables.ts";
import { textStyle } from "../jsonapi/style.ts";
import { settingsOf, type VarsSettings } from "../rows/settings.ts";

export const exportVars = storeEndpoint({
  id: "exportVars",
  at: ["GET /workspaces/:workspace_id/vars/export"],
  access: "known",
  style: textStyle,
  doc: "Exports the variables of a workspace as a dotenv file, or as JSON that the bulk endpoint accepts. Sensitive values are omitted. Other servers with this API do not have this endpoint.",
  body: { format: parameter("`dotenv` (the default) or `json`.", ["dotenv", "json"]) },
  reply: {},
  refuses: ["not_found", "malformed"],
  run: async (storeContext, { workspace_id, format = "dotenv" }, caller) => {
    const { workspace } = await workspaceAccess(
      storeContext,
      caller.identity.id,
      workspace_id,
      "readVariables",
    );
    if (format !== "dotenv" && format !== "json")
      throw badFilter("format must be dotenv or json", "format");
    const keys = await keyRowsIn(storeContext, workspace.id);
    const portions = variablesOf(storeContext, workspace.id, keys);
    return format === "dotenv"
      ? { type: "text/plain; charset=utf-8", pieces: dotenvPieces(portions, keys) }
      : { type: "application/json", pieces: jsonPieces(portions, settingsOf(storeContext)) };
  },
});
async function* jsonPieces(portions: Portions, settings: VarsSettings): Pieces {
  let before = '{\n  "data": [';
  function* linesOf(rows: readonly VariableRow[]): Iterable<string> {
    for (const row of rows) {
      yield `${before}\n    ${resourceText(row, settings).replaceAll("\n", "\n    ")}`;
      before = ",";
    }
  }
  for await (const rows of portions) yield linesOf(rows);
  yield [before === "," ? "\n  ]\n}\n" : `${before}]\n}\n`];
}
function resourceText(row: VariableRow, settings: VarsSettings): string {
  const attributes = {
    key: row.key,
    value: plainValue(row) ?? null,
    description: row.description,
    category: categoryOf(row, "scoped", settings),
    hcl: row.hcl,
    sensitive: row.sensitive,
  };
  return JSON.stringify({ type: "vars", attributes }, undefined, 2);
}
