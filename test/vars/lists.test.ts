import { describe, expect, it } from "vitest";
import type { Stores } from "../../src/engine/ports.ts";
import {
  answered,
  requestOf,
  service,
  varsDocument,
  withWorkspace,
  type Json,
  type Service,
} from "./service.ts";

const large = "\u0001\u00e9".repeat(64 * 1024);
/** Creates three workspaces, each with several megabytes of JSON. */
async function threeLarge(): Promise<Service & { readonly workspace: string }> {
  const made = await withWorkspace();
  for (const name of ["demo", "two", "three"]) {
    const found =
      name === "demo"
        ? made.workspace
        : String(
            (
              await made.call("POST", "/organizations/acme/workspaces", {
                data: { type: "workspaces", attributes: { name } },
              })
            ).data["id"],
          );
    for (let i = 0; i < 8; i++)
      expect(
        (
          await made.call(
            "POST",
            `/workspaces/${found}/vars`,
            varsDocument({ key: `${name}${i}`, value: large, category: "env" }),
          )
        ).status,
      ).toBe(201);
  }
  return made;
}
/**
 * Returns stores that count the reads of variables and the most variables per read, and that can
 * fail at one of the reads.
 */
function watched(
  stores: Stores,
  breakAt = Number.POSITIVE_INFINITY,
): { readonly stores: Stores; reads: number; max: number } {
  const seen: ReturnType<typeof watched> = {
    reads: 0,
    max: 0,
    stores: (name) => {
      const store = stores(name);
      return {
        ...store,
        list: async (prefix, page) => {
          if ("var/".startsWith(prefix))
            throw new Error("all variables of a workspace are read at once");
          return store.list(prefix, page);
        },
        get: async (keys) => {
          const variables = keys.filter((key) => key.startsWith("var/")).length;
          if (variables > 0 && ++seen.reads === breakAt) throw new Error("the disk is gone");
          seen.max = Math.max(seen.max, variables);
          return store.get(keys);
        },
      };
    },
  };
  return seen;
}

describe("a long list of variables", () => {
  it("is one document, sent in chunks that are created as they are read", async () => {
    const made = await threeLarge();
    const response = await answered(made, requestOf("GET", "/vars", undefined, {}));
    expect(response.headers.get("content-type")).toBe("application/vnd.api+json; charset=utf-8");
    expect(response.headers.get("deprecation")).not.toBeNull();
    const pieces: Uint8Array[] = [];
    const reader = response.body?.getReader();
    for (let piece = await reader?.read(); piece?.value; piece = await reader?.read())
      pieces.push(piece.value);
    expect(pieces.length).toBeGreaterThan(5);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(2_500_000);
    const json: Json = JSON.parse(Buffer.concat(pieces).toString("utf8"));
    const keys = (json["data"] as unknown as { attributes: { key: string; value: string } }[]).map(
      ({ attributes }) => attributes,
    );
    expect(keys.map(({ key }) => key)).toEqual(
      ["demo", "three", "two"].flatMap((name) =>
        [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `${name}${i}`),
      ),
    );
    expect(keys.every(({ value }) => value === large)).toBe(true);
    const one = await made.call("GET", `/workspaces/${made.workspace}/vars`);
    expect(one.json["data"]).toHaveLength(8);
    expect(
      (await made.call("GET", `/workspaces/${made.workspace}/vars/export?format=json`)).json[
        "data"
      ],
    ).toHaveLength(8);
  });
  it("reads few workspaces before the first chunk is read, and no more after the client disconnects", async () => {
    const made = await threeLarge();
    for (let i = 0; i < 12; i++)
      await made.call("POST", "/organizations/acme/workspaces", {
        data: { type: "workspaces", attributes: { name: `w${i}` } },
      });
    const seen = watched(made.stores);
    const other = service({ stores: seen.stores, seed: 9 });
    const response = await answered(other, requestOf("GET", "/vars", undefined, {}));
    expect(seen.reads).toBeLessThan(6);
    await response.body?.cancel();
    const then = seen.reads;
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen.reads).toBe(then);
    seen.reads = 0;
    const head = await answered(other, requestOf("HEAD", "/vars", undefined, {}));
    expect([head.status, head.body, head.headers.get("content-type")]).toEqual([
      200,
      null,
      "application/vnd.api+json; charset=utf-8",
    ]);
    expect(seen.reads).toBe(0);
  });
  it("reads at most 1 MiB of values and 500 variables at once, in the order of keys", async () => {
    const made = await withWorkspace();
    const path = `/workspaces/${made.workspace}/vars`;
    const wide = Array.from(
      { length: 16 },
      (_, i) =>
        varsDocument({ key: `wide${i}`, category: "env", value: "v".repeat(256 * 1024) }).data,
    );
    for (let at = 0; at < 16; at += 8)
      expect(
        (await made.call("POST", `${path}/bulk`, { data: wide.slice(at, at + 8) })).status,
      ).toBe(200);
    const small = Array.from(
      { length: 1000 },
      (_, i) =>
        varsDocument({
          key: `small${String(i).padStart(4, "0")}`,
          category: "terraform",
          value: "v",
        }).data,
    );
    for (const at of [0, 500])
      expect(
        (await made.call("POST", `${path}/bulk`, { data: small.slice(at, at + 500) })).status,
      ).toBe(200);
    const seen = watched(made.stores);
    const other = service({ stores: seen.stores, seed: 9 });
    const keysOf = (json: Json) =>
      (json["data"] as unknown as readonly { readonly attributes: { readonly key: string } }[]).map(
        ({ attributes }) => attributes.key,
      );
    const expected = [
      ...small.map(({ attributes }) => attributes),
      ...wide.map(({ attributes }) => attributes),
    ]
      .map((each) => (each as { key: string }).key)
      .sort();
    for (const each of [path, "/vars", `${path}/export?format=json`]) {
      [seen.reads, seen.max] = [0, 0];
      expect(keysOf((await other.call("GET", each)).json)).toEqual(expected);
      // 1,000 small values in two or three portions, and 16 values of 256 KiB four at a time
      expect([each, seen.reads <= 7, seen.max]).toEqual([each, true, 500]);
    }
    const lines = (await other.call("GET", `${path}/export`)).text
      .split("\n")
      .map((line) => line.replace(/=.*/, ""));
    expect(lines.filter(Boolean)).toEqual(
      expected.map((key) => (key.startsWith("wide") ? key : `TF_VAR_${key}`)),
    );
  });
  it("omits variables deleted while it is sent, and has the current values of changed ones", async () => {
    const made = await threeLarge();
    const path = `/workspaces/${made.workspace}/vars`;
    const before = (await made.call("GET", path)).json["data"] as unknown as readonly {
      readonly id: string;
    }[];
    const response = await answered(made, requestOf("GET", path, undefined, {}));
    await made.call("DELETE", `${path}/${before[6]?.id}`);
    await made.call("PATCH", `${path}/${before[7]?.id}`, varsDocument({ value: "new" }));
    const json: Json = JSON.parse(await response.text());
    const values = (
      json["data"] as unknown as readonly {
        readonly id: string;
        readonly attributes: { readonly value: string };
      }[]
    ).map(({ attributes }) => attributes.value);
    expect([values.length, values.at(-1)]).toEqual([7, "new"]);
  });
  it("returns 500 if the first read fails, and is aborted with a log event if a later one fails", async () => {
    const made = await threeLarge();
    const early = service({ stores: watched(made.stores, 1).stores, seed: 9 });
    const refused = await early.call("GET", "/vars");
    expect([refused.status, refused.text]).toEqual([
      500,
      '{"errors":[{"status":"500","title":"internal error"}]}',
    ]);
    expect(early.events.at(-1)).toMatchObject({ status: 500, cause: expect.any(Error) });
    const late = service({ stores: watched(made.stores, 2).stores, seed: 9 });
    const response = await answered(late, requestOf("GET", "/vars", undefined, {}));
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect(late.events.at(-1)).toMatchObject({ status: 500, cause: expect.any(Error) });
  });
});
