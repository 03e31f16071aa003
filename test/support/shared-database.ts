import { createCa, type Ca, type CaOptions, type Stores } from "../../src/index.ts";
import { postgresStore, type PostgresStores } from "../../src/postgres/index.ts";
import { replacement } from "./authority.ts";

// a setup file runs again for each test file; the files of a thread share these connections
const thread = globalThis as { sealwrightNodes?: readonly PostgresStores[] };
/** Returns the stores of two nodes of this thread on the database. */
const nodesOn = (url: string): readonly PostgresStores[] =>
  (thread.sealwrightNodes ??= [
    postgresStore(url, { connections: 5 }),
    postgresStore(url, { connections: 5 }),
  ]);

/** Returns the stores of one authority among those of a node, by a prefix of their names. */
function storesOf(node: PostgresStores, prefix: string): Stores {
  const open = (name: string) => node(prefix + name);
  return Object.assign(open, {
    durable: true as const,
    follow: (changed: Parameters<PostgresStores["follow"]>[0]) =>
      node.follow((store, keys) => {
        if (store.startsWith(prefix)) changed(store.slice(prefix.length), keys);
      }),
  });
}

/** Returns an authority whose calls two nodes on the database take in turn, and its stores. */
function twoNodes(
  url: string,
  options: Omit<CaOptions, "stores">,
): { readonly ca: Ca; readonly stores: Stores } {
  const prefix = `${crypto.randomUUID()} `;
  const stores = nodesOn(url).map((node) => storesOf(node, prefix));
  const cas = stores.map((each) => createCa({ ...options, stores: each }));
  let calls = 0;
  const [first, second] = cas;
  const [own] = stores;
  if (!first || !second || !own) throw new TypeError("two nodes are two");
  return { ca: inTurns(() => ((calls += 1) % 2 === 0 ? first : second)), stores: own };
}

/** Forwards each call of a member to the objects in turn. */
function inTurns<T extends object>(next: () => T): T {
  const target = next();
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === "function")
        return (...args: unknown[]): unknown => {
          const chosen = next();
          return Reflect.apply(Reflect.get(chosen, name) as never, chosen, args);
        };
      return typeof value === "object" && value !== null
        ? inTurns(() => Reflect.get(next(), name) as object)
        : value;
    },
  });
}

// runs before each test file if `contract-postgres.ts` names a database
const database = process.env["SEALWRIGHT_TEST_DATABASE"];
if (database !== undefined) replacement.engine = (options) => twoNodes(database, options);
