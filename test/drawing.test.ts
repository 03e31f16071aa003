import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { purposeOf, roomImports } from "../tools/generate/rooms.ts";
import { filesBelow, root } from "./support/syntax.ts";

const pages = ["architecture", "partitions", "crl-life", "acme-order", "protocol-code"].map(
  (name) => readFileSync(join(root, `docs/${name}.md`), "utf8"),
);
const [text = ""] = pages;
const rooms = roomImports();

/** Returns the boxes of the drawing with the folders or rooms in each, `id["one, other/rows"]`. */
function boxes(): ReadonlyMap<string, readonly string[]> {
  const [, drawing = ""] = /^```mermaid\ngraph TD\n(.*?)^```/ms.exec(text) ?? [];
  return new Map(
    [...drawing.matchAll(/^\s*(\w+)\["(.*?)"\]$/gm)].map(([, id = "", folders = ""]) => [
      id,
      folders.split(", "),
    ]),
  );
}
const boxOf = (room: string): string =>
  [room, room.split("/")[0] ?? ""].flatMap((name) =>
    [...boxes()].flatMap(([id, folders]) => (folders.includes(name) ? [id] : [])),
  )[0] ?? "none";

/** Returns the arrows of the drawing, `a --> b`. */
function drawn(): ReadonlySet<string> {
  const [, drawing = ""] = /^```mermaid\ngraph TD\n(.*?)^```/ms.exec(text) ?? [];
  return new Set(
    [...drawing.matchAll(/^\s*(.*) --> (.*)$/gm)].flatMap(([, from = "", to = ""]) =>
      from.split(" & ").flatMap((one) => to.split(" & ").map((other) => `${one} --> ${other}`)),
    ),
  );
}

/** Returns the arrows between boxes that the imports require, without those that others imply. */
function needed(): ReadonlySet<string> {
  const below = new Map<string, Set<string>>();
  for (const [room, imports] of rooms)
    for (const imported of imports.keys()) {
      const [from, to] = [boxOf(room), boxOf(imported)];
      if (from !== to) below.set(from, (below.get(from) ?? new Set()).add(to));
    }
  const reaches = (from: string, goal: string, seen: readonly string[] = []): boolean =>
    [...(below.get(from) ?? [])].some(
      (to) => !seen.includes(to) && (to === goal || reaches(to, goal, [...seen, to])),
    );
  return new Set(
    [...below].flatMap(([from, all]) =>
      [...all]
        .filter((to) => ![...all].some((other) => other !== to && reaches(other, to)))
        .map((to) => `${from} --> ${to}`),
    ),
  );
}

describe("docs/architecture.md", () => {
  it("draws every folder in one box", () => {
    const folders = [...rooms.keys()].map((room) => room.split("/")[0] ?? "");
    const drawnFolders = [...boxes().values()]
      .flat()
      .filter((name) => !rooms.has(name) || !name.includes("/"));
    expect(drawnFolders.sort()).toEqual([...new Set(folders)].sort());
  });

  it("draws exactly the imports between boxes", () => {
    expect([...drawn()].sort()).toEqual([...needed()].sort());
  });

  it("names only files that exist, as do the related pages", () => {
    const folders = ["src", "worker", "server", "demo", "test"];
    const paths = pages.flatMap((page) =>
      [...page.matchAll(/`((?:src|worker|server|demo|test)\/[\w./-]+\.tsx?)`/g)].map(
        ([, path = ""]) => path,
      ),
    );
    const known = new Set(folders.flatMap((folder) => filesBelow(folder, ".ts", ".tsx")));
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !known.has(path))).toEqual([]);
  });

  it("has at most 160 lines", () => {
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(160);
  });
});

describe("docs/rooms.md", () => {
  it("has the purpose of every room, which for rooms of src comes from the README.md of the folder", () => {
    expect([...rooms.keys()].filter((room) => purposeOf(room) === "")).toEqual([]);
  });
});
