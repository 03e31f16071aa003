import { join } from "node:path";
import { sqliteStore, type SqliteStores } from "../../src/node/index.ts";

/**
 * Returns a function that opens SQLite files in a folder. Each file serves `uses` calls: for each
 * new column, SQLite parses the tables of all stores of a file again. The third file closes the
 * first one, and so on.
 */
export function sqliteFiles(folder: string, uses: number): () => SqliteStores {
  const open: SqliteStores[] = [];
  let calls = 0;
  return () => {
    if (calls % uses === 0) {
      open.unshift(sqliteStore(join(folder, `stores-${calls / uses}.db`)));
      open.splice(2).forEach((file) => file.close());
    }
    calls += 1;
    const [current] = open;
    if (!current) throw new Error("no file is open");
    return current;
  };
}
