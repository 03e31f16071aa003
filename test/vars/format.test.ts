import { expect, it } from "vitest";
import { formatKey } from "../../src/engine/format.ts";
import { errorsOf, service, withWorkspace } from "./service.ts";

it("variables stored by a later version are rejected with 503, naming the version that reads them", async () => {
  const before = await withWorkspace();
  await before.write({ key: "k", value: "one" });
  const store = before.stores("vars");
  await store.commit({ put: [[formatKey, { number: 9, version: "7.1.0" }]] });
  const rows = await store.list("");
  const a = service({ stores: before.stores, clock: before.clock });
  const refused = await a.call("GET", `/workspaces/${before.workspace}/vars`);
  expect([refused.status, errorsOf(refused)]).toEqual([
    503,
    [
      expect.objectContaining({
        detail: "the data is stored in format 9: run version 7.1.0 or later",
      }),
    ],
  ]);
  expect(await store.list("")).toEqual(rows);
});
