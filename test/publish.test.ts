import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { moduleSources } from "../server/build/build-modules.ts";
import { withAddresses, type Addresses } from "../tools/publish/addresses.ts";
import { root } from "./support/syntax.ts";

const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"));
const manifest = read("package.json") as Readonly<Record<string, unknown>>;

describe("the addresses of the project", () => {
  it("are the same in package.json and tools/publish/addresses.json", () => {
    const addresses = read("tools/publish/addresses.json") as Addresses;
    const written = JSON.stringify(withAddresses(manifest, addresses));
    expect(written, "run `npm run addresses`").toBe(JSON.stringify(manifest));
  });

  it("replace existing ones, and are omitted if they are empty", () => {
    const old = { name: "a", license: "MIT", bugs: { url: "https://old.example" }, type: "module" };
    const addresses = {
      repository: "git+https://host.example/a.git",
      homepage: "https://a.example",
      bugs: "",
    };
    expect(Object.entries(withAddresses(old, addresses))).toEqual([
      ["name", "a"],
      ["license", "MIT"],
      ["homepage", "https://a.example"],
      ["repository", { type: "git", url: "git+https://host.example/a.git" }],
      ["type", "module"],
    ]);
    expect(() => withAddresses(old, { ...addresses, bugs: "none" })).toThrow(TypeError);
  });
});

interface EntryPoint {
  readonly types: string;
  readonly default: string;
}

describe("the entry points of the package", () => {
  const sources: Readonly<Record<string, string>> = moduleSources;
  const fileName = /^\.\/dist\/js\/(.+)\.js$/;
  const entries = Object.entries(manifest["exports"] as Readonly<Record<string, EntryPoint>>);

  it("are each built from the source whose types they have", () => {
    const built = entries.map(([path, { default: file }]) => {
      const source = sources[fileName.exec(file)?.[1] ?? ""] ?? "no source in moduleSources";
      return [path, `./dist/types/${source.replace(/\.ts$/, ".d.ts")}`];
    });
    expect(built).toEqual(entries.map(([path, { types }]) => [path, types]));
  });

  it("are all modules that are built, except for the programs of the server", () => {
    const exported = entries.map(([, { default: file }]) => fileName.exec(file)?.[1]);
    const others = Object.keys(sources).filter((name) => !exported.includes(name));
    expect(others.filter((name) => !sources[name]?.startsWith("server/"))).toEqual([]);
    expect(others).not.toEqual([]);
  });
});
