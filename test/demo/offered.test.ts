import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as endpoints from "../../demo/api/endpoints/pki.ts";
import { authority } from "../support/authority.ts";
import { filesBelow, root } from "../support/syntax.ts";

it("features that depend on the server are detected by paths that the server's OpenAPI document contains", async () => {
  const names = filesBelow("demo", ".ts", ".tsx").flatMap((path) =>
    [...readFileSync(join(root, path), "utf8").matchAll(/\bcan\((?:pki\.)?(\w+)\)/g)].map(
      ([, name = ""]) => name,
    ),
  );
  expect(names).toEqual(
    expect.arrayContaining(["askOcsp", "tidy", "revokeFound", "fillUrls", "makeResponder"]),
  );
  const paths: Readonly<Record<string, string>> = endpoints;
  const asked = names.map((name) => {
    const [verb = "", path = ""] = paths[name]?.split("|").at(-1)?.split(" ") ?? [];
    return `${verb} /v1/pki/${path.replace(/:(\w+)/g, "{$1}")}`;
  });
  const { json } = await authority().call("GET", "sys/internal/specs/openapi");
  const known = Object.entries(json["paths"] as Record<string, object>).flatMap(([path, verbs]) =>
    Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
  );
  expect(asked.filter((one) => !known.includes(one))).toEqual([]);
});
