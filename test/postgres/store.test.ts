import { afterAll } from "vitest";
import { storeConformance } from "../conformance/store.ts";
import { postgresStore } from "../../src/postgres/index.ts";
import { postgresPrograms, startPostgres } from "../support/postgres.ts";

for (const programs of postgresPrograms()) {
  const server = await startPostgres(programs);
  const [stores, others] = [postgresStore(server.url()), postgresStore(server.url())];
  afterAll(async () => {
    await Promise.all([stores.close(), others.close()]);
    await server.stop();
  });
  let opened = 0;
  storeConformance(
    `PostgreSQL of ${programs.from}`,
    async () => stores(`Store ${(opened += 1)}/é`),
    {
      fixed: 100,
      fresh: 30,
      steps: 8,
    },
  );
}
