import { describe, expect, it } from "vitest";
import { vars as varsTable } from "../src/client/vars.ts";
import * as declared from "../src/endpoints/all.ts";
import { jobs, mountTypes } from "../src/endpoints/mount-types.ts";
import { tables } from "../src/endpoints/tables.ts";
import type { AnyEndpoint } from "../src/wire/endpoint.ts";
import { varsApi } from "../src/vars/index.ts";
import { loadedJob } from "../src/engine/later-jobs.ts";
import { lazyEndpoints, loadEndpoint } from "../src/wire/lazy-endpoints.ts";

describe("what is loaded on first use", () => {
  it.each([
    ["a mount", mountTypes.pki.endpoints, declared.pki],
    ["the system", tables.sys.endpoints, declared.sys],
    [
      "the variables",
      lazyEndpoints(varsTable, { all: async () => declared.vars }, { all: Object.keys(varsTable) }),
      declared.vars,
    ],
  ] as const)("endpoints of %s are found by the paths that they declare", async (_, found, all) => {
    // the handlers of both lists work on something else, and none runs
    const routes = found as readonly Parameters<typeof loadEndpoint>[0][];
    const endpoints = await Promise.all(routes.map(loadEndpoint));
    expect(endpoints).toEqual(all);
    for (const [i, route] of routes.entries()) {
      const endpoint: Pick<AnyEndpoint, "at" | "id" | "rawRest"> | undefined = all[i];
      expect(route.id).toBe(endpoint?.id);
      expect(route.rawRest ?? false, route.id).toBe(endpoint?.rawRest ?? false);
      expect(route.at, route.id).toEqual(endpoint?.at);
    }
  });

  it("jobs are found by the kinds that they have", async () => {
    for (const job of [...jobs, ...mountTypes.pki.jobs, ...varsApi.jobs])
      expect((await loadedJob(job)).kind).toBe(job.kind);
    const { acmeJobs, systemJobs } = await import("../src/endpoints/jobs.ts");
    const { jobs: mountJobs } = await import("../src/pki/config/mount-work.ts");
    const kinds = [...systemJobs, ...mountJobs, ...acmeJobs].map(({ kind }) => kind);
    expect([...jobs, ...mountTypes.pki.jobs].map(({ kind }) => kind)).toEqual(kinds);
  });

  it("a part is loaded by the first call of one of its endpoints, once, and again where that failed", async () => {
    const [first, second] = declared.pki;
    let loads = 0;
    const endpoints = lazyEndpoints(
      { issue: "POST /issue/:role", sign: "POST /sign/:role", gone: "GET /gone" },
      {
        issue: async () => {
          loads++;
          if (loads === 1) throw new TypeError("no module");
          return [first, second];
        },
      },
      { issue: ["gone", "issue", "sign"] },
    );
    expect(loads).toBe(0);
    const [issue, sign, gone] = endpoints;
    await expect(sign?.load()).rejects.toThrow("no module");
    expect(await sign?.load()).toBe(second);
    expect(await issue?.load()).toBe(first);
    await expect(gone?.load()).rejects.toThrow("the part has no endpoint gone");
    expect(loads).toBe(2);
    await expect(lazyEndpoints({ sign: "POST /sign/:role" }, {}, {})[0]?.load()).rejects.toThrow(
      "no part has the endpoint sign",
    );
  });
});
