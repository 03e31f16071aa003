import { readData } from "./call.ts";
import { listMethods } from "./endpoints/sys.ts";

/** An enabled login method, as listed by the server. */
export interface LoginMethod {
  /** Path under `auth/`, without leading and trailing slashes. */
  readonly path: string;
  readonly type: string;
  readonly description: string;
  readonly accessor: string;
}

/** Lists the login methods by path. */
export async function loginMethods(): Promise<readonly LoginMethod[]> {
  const all = await readData(listMethods);
  return Object.entries(all)
    .filter(([path]) => path.endsWith("/"))
    .map(([path, { type, description, accessor }]) => ({
      path: path.replace(/\/+$/, ""),
      type,
      description,
      accessor,
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
