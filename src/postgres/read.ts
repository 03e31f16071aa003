import type { AnswerRow, Connections } from "./connections.ts";
import type { StatementValue } from "./commit-values.ts";
import { isLost, isMissing, statementFailure } from "./failure.ts";
import type { Layout } from "./layout.ts";
import { functionIn, layoutNumber } from "./names.ts";

/** The database that contains the stores of a deployment. */
export interface Database {
  readonly connections: Connections;
  readonly layout: Layout;
  readonly schema: string;
  /** Identifier of this node, by which it recognizes its own commits. */
  readonly origin: string;
}

/** Returns a named statement that calls an SQL function of the layout. */
export function callOf(
  schema: string,
  name: string,
  parameters: number,
): { readonly text: string; readonly name: string } {
  const placeholders = Array.from({ length: parameters }, (_, at) => `$${at + 1}`).join();
  return {
    text: `SELECT * FROM ${functionIn(schema, name)}(${placeholders})`,
    name: `${schema}_${name}_${layoutNumber}`,
  };
}

/**
 * Calls an SQL function that only reads. Retries the call once if the connection was lost or the
 * function is missing, which is safe because nothing is written.
 */
export async function read(
  { connections, layout, schema }: Database,
  name: string,
  values: readonly StatementValue[],
): Promise<readonly AnswerRow[]> {
  const call = callOf(schema, name, values.length);
  for (let tries = 1; ; tries += 1) {
    await layout.ensure();
    try {
      return await connections.use((session) => session.query(call.text, values, call));
    } catch (cause) {
      if (isMissing(cause)) layout.forget();
      if (tries > 1 || !(isLost(cause) || isMissing(cause)))
        throw statementFailure("the rows cannot be read", cause, connections.target);
    }
  }
}
