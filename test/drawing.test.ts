import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesBelow, root, sourceOf } from "./support/syntax.ts";

/** Which room imports which, `a -> b`; with parentheses where it takes types only. */
type Arrows = ReadonlySet<string>;

const text = readFileSync(join(root, "docs/architecture.md"), "utf8");
const block = (language: string): readonly string[] => {
  const [, body] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "ms").exec(text) ?? [];
  if (body === undefined) throw new TypeError(`docs/architecture.md has no block ${language}`);
  return body
    .trim()
    .split("\n")
    .map((line) => line.trim());
};

const roomOf = (path: string): string =>
  /^src\/((?:acme|auth|external|pki|vars)\/\w+(?=\/)|\w+)/.exec(path)?.[1] ??
  /^(worker|server|demo)\//.exec(path)?.[1] ??
  "";
/** The imports between rooms as the sources have them. */
function real(): Arrows {
  const sources = [
    ...filesBelow("src", ".ts"),
    ...filesBelow("worker", ".ts"),
    ...filesBelow("server", ".ts"),
    ...filesBelow("demo", ".ts", ".tsx"),
  ].map(sourceOf);
  const edges = sources.flatMap(({ path, imports }) =>
    imports.map(({ from, type }) => ({ room: roomOf(path), from: roomOf(from), type })),
  );
  const between = edges.filter(({ room, from }) => from !== "" && from !== room);
  const values = new Set(
    between.filter(({ type }) => !type).map(({ room, from }) => `${room} -> ${from}`),
  );
  return new Set(
    between.map(({ room, from }) =>
      values.has(`${room} -> ${from}`) ? `${room} -> ${from}` : `${room} -> (${from})`,
    ),
  );
}
/** The table: a room, an arrow, and the rooms it imports. */
const drawn = (): Arrows =>
  new Set(
    block("text").flatMap((line) => {
      const [room = "", from = ""] = line.split("→").map((part) => part.trim());
      return from.split(/\s+/).flatMap((one) => (one === "" ? [] : [`${room} -> ${one}`]));
    }),
  );
/** The picture: `a["name"]` names a box, `a & b --> c & d` are arrows. */
function pictured(): Arrows {
  const lines = block("mermaid");
  const names = new Map(
    lines.flatMap((line) =>
      [...line.matchAll(/(\w+)\["([\w/]+)"\]/g)].map(
        ([, box = "", name = ""]) => [box, name] as const,
      ),
    ),
  );
  const name = (box: string): string => names.get(box) ?? box;
  return new Set(
    lines.flatMap((line) => {
      const [room, from] = line.replace(/\[".*?"\]/g, "").split(" --> ");
      return room === undefined || from === undefined
        ? []
        : room
            .split(" & ")
            .flatMap((each) => from.split(" & ").map((one) => `${name(each)} -> ${name(one)}`));
    }),
  );
}

/** The arrows that no way over other rooms stands for. */
function withoutDetours(arrows: Arrows): Arrows {
  const below = new Map<string, string[]>();
  for (const arrow of arrows) {
    const [room = "", from = ""] = arrow.replace(/[()]/g, "").split(" -> ");
    below.set(room, [...(below.get(room) ?? []), from]);
  }
  // each room is walked once: the ways through all of them are too many
  const found = new Map<string, ReadonlySet<string>>();
  const reached = (room: string): ReadonlySet<string> => {
    const held = found.get(room);
    if (held) return held;
    const made = new Set((below.get(room) ?? []).flatMap((from) => [from, ...reached(from)]));
    found.set(room, made);
    return made;
  };
  const reaches = (room: string, goal: string): boolean => reached(room).has(goal);
  const straight = [...below].flatMap(([room, all]) =>
    all
      .filter((from) => !all.some((other) => other !== from && reaches(other, from)))
      .map((from) => `${room} -> ${from}`),
  );
  return new Set(straight);
}
const differences = (one: Arrows, other: Arrows) => ({
  missing: [...other].filter((arrow) => !one.has(arrow)).sort(),
  tooMany: [...one].filter((arrow) => !other.has(arrow)).sort(),
});
const none = { missing: [], tooMany: [] };

describe("docs/architecture.md", () => {
  it("lists for each room the rooms it imports, none missing and none too many", () => {
    expect(differences(drawn(), real())).toEqual(none);
  });

  it("draws the imports that no way over other rooms stands for, none missing and none too many", () => {
    expect(differences(pictured(), withoutDetours(real()))).toEqual(none);
  });

  it("names files that are there", () => {
    const paths = [...text.matchAll(/`((?:src|worker|server|demo|test)\/[\w./-]+\.tsx?)`/g)].map(
      ([, path = ""]) => path,
    );
    const known = new Set(
      ["src", "worker", "server", "demo", "test"].flatMap((folder) =>
        filesBelow(folder, ".ts", ".tsx"),
      ),
    );
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !known.has(path))).toEqual([]);
  });

  it("fits three pages", () => {
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(240);
  });
});
