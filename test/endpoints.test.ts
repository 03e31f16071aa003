import { describe, expect, it } from "vitest";
import { vars as varsTable } from "../src/client/vars.ts";
import * as declared from "../src/endpoints/all.ts";
import { jobs, mountTypes } from "../src/endpoints/mount-types.ts";
import { pkiParts, sysParts } from "../src/endpoints/parts.ts";
import { tables } from "../src/endpoints/tables.ts";
import type { AnyEndpoint } from "../src/wire/endpoint.ts";
import { varsApi } from "../src/vars/index.ts";
import { loadJob } from "../src/engine/lazy-jobs.ts";
import type { EndpointTable } from "../src/wire/endpoint-list.ts";
import { completeTable, lazyEndpoints, loadEndpoint } from "../src/wire/lazy-endpoints.ts";
import { expandPatterns } from "../src/wire/route-patterns.ts";
import { routerOf } from "../src/wire/router.ts";
import { seeded } from "./support/authority.ts";

describe("lazily loaded endpoints and jobs", () => {
  it.each([
    ["a mount", mountTypes.pki.endpoints, declared.pki],
    ["the system", tables.sys.endpoints, declared.sys],
    [
      "the variables",
      lazyEndpoints(varsTable, { all: async () => declared.vars }, { all: Object.keys(varsTable) }),
      declared.vars,
    ],
  ] as const)("endpoints of %s are found by the paths that they declare", async (_, found, all) => {
    // the handlers of the two lists have different contexts, but none of them runs
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

  it("jobs are found by their kinds", async () => {
    for (const job of [...jobs, ...mountTypes.pki.jobs, ...varsApi.jobs])
      expect((await loadJob(job)).kind).toBe(job.kind);
    const { acmeJobs, logJobs, partitionJobs, systemJobs } =
      await import("../src/endpoints/jobs.ts");
    const { jobs: mountJobs } = await import("../src/pki/config/mount-work.ts");
    const kinds = [...systemJobs, ...mountJobs, ...acmeJobs, ...logJobs, ...partitionJobs].map(
      ({ kind }) => kind,
    );
    expect([...jobs, ...mountTypes.pki.jobs].map(({ kind }) => kind)).toEqual(kinds);
  });

  it.each(Object.entries({ ...pkiParts, ...sysParts }))(
    "the part %s has the name of its file and of the list in it",
    async (name, load) => {
      const module = (await import(`../src/endpoints/${name}.ts`)) as Record<string, unknown>;
      expect(module[name]).toBe(await load());
    },
  );

  it("a part is loaded once, by the first call of one of its endpoints, and again if that failed", async () => {
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
      "no module defines the endpoint sign",
    );
  });
});

describe("routes", () => {
  type Table = EndpointTable<AnyEndpoint>;
  type Endpoints = Table["endpoints"];
  const shuffled = (endpoints: Endpoints, random: (bytes: number) => Uint8Array): Endpoints =>
    endpoints
      .map((one) => [new DataView(random(4).buffer).getUint32(0), one] as const)
      .sort(([a], [b]) => a - b)
      .map(([, one]) => one);
  /** Values for parameters: forms of ids, serials, shards and names. */
  const values = ["web", "a/b", "01", "1-0", "01-ab", "dns-01", crypto.randomUUID(), "%41", ""];
  /**
   * Returns calls of all routes, with values and segments of other routes in place of parameters.
   */
  const callsOf = (endpoints: Endpoints): readonly string[] => {
    const patterns = endpoints
      .flatMap(expandPatterns)
      .map(([method, path]) => [`${method} `, ...path.slice(1).split("/")]);
    const calls = patterns.flatMap((pattern) => {
      const at = pattern.findIndex((segment) => segment.startsWith(":"));
      const call = pattern.join("/");
      if (at < 0) return [call];
      const before = pattern.slice(0, at).join("/");
      const siblings = patterns
        .filter((other) => other.slice(0, at).join("/") === before)
        .flatMap((other) => [other[at] ?? "", other.slice(at).join("/")]);
      return [...values, ...siblings].map((value) => call.replace(/:\w+\+?/g, value));
    });
    return [...new Set(calls)];
  };
  const found = async (table: Table, calls: readonly string[]): Promise<readonly string[]> => {
    const router = routerOf(table);
    const matches: string[] = [];
    for (const call of calls) {
      const [method = "", path = ""] = call.split(" ");
      const match = await Promise.resolve()
        .then(() => router(method, path))
        .catch(() => undefined);
      if (match) matches.push(`${call}: ${match.endpoint.id} ${match.shape}`);
    }
    return matches;
  };

  it.each(
    Object.entries({
      pki: tables.mounts["pki"],
      sys: tables.sys,
      auth: tables.auth,
      identity: tables.identity,
      cubbyhole: tables.cubbyhole,
      ...tables.methods,
      vars: { endpoints: declared.vars },
    }),
  )("of %s do not depend on the order of declaration", async (_, listed) => {
    const table = await completeTable(listed as Table);
    const seed = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
    process.stdout.write(`seed ${seed}\n`);
    const calls = callsOf(table.endpoints);
    const matches = await found(table, calls);
    expect(matches.length).toBeGreaterThan(table.endpoints.length);
    const endpoints = shuffled(table.endpoints, seeded(seed));
    expect(await found({ ...table, endpoints }, calls)).toEqual(matches);
  });
});
