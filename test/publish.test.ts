import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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
