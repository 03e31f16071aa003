import { afterAll, describe, it } from "vitest";
import { storeChecks } from "../../src/conformance/index.ts";
import type { Store } from "../../src/engine/ports.ts";
import { postgresStore } from "../../src/postgres/index.ts";
import { scheduleSuite } from "../conformance/schedule.ts";
import { storeConformance } from "../conformance/store.ts";
import { postgresPrograms, startPostgres } from "../support/postgres.ts";

/** Returns a store whose calls alternate between two nodes. */
function inTurns(one: Store, other: Store): Store {
  let calls = 0;
  const next = (): Store => ((calls += 1) % 2 === 0 ? one : other);
  return {
    get: (keys) => next().get(keys),
    list: (prefix, page) => next().list(prefix, page),
    commit: (batch) => next().commit(batch),
    drop: async () => next().drop?.(),
    export(maxRows) {
      const { export: rows } = next();
      if (!rows) throw new TypeError("the store has no export");
      return rows(maxRows);
    },
  };
}

const [first, ...more] = postgresPrograms();
if (!first) throw new Error("npm ci brings no PostgreSQL here, and the system has none");
for (const programs of [first, ...more]) {
  const server = await startPostgres(programs);
  const nodes = [postgresStore(server.url()), postgresStore(server.url())] as const;
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await server.stop();
  });
  let opened = 0;
  const open = async (): Promise<Store> => {
    const name = `Store ${(opened += 1)}/é`;
    return inTurns(nodes[0](name), nodes[1](name));
  };
  if (programs === first) {
    const effort = { fixed: 80, fresh: 20, steps: 8 };
    storeConformance("Two nodes on one PostgreSQL, in turns", open, effort);
    describe("Engines over two nodes on one PostgreSQL", () => {
      scheduleSuite({ fixed: 4, fresh: 2, controls: 6 }, open);
    });
  } else
    describe(`a store in PostgreSQL of ${programs.from}`, () => {
      for (const { name, run } of storeChecks(open, { sequences: 20 })) it(name, run);
    });
}
