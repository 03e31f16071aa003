import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";
import { endpointGroups } from "../../tools/examples/places.ts";
import { root } from "../support/syntax.ts";

const docs = join(root, "docs");
const below = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
const pages = [
  join(root, "README.md"),
  ...below(docs),
  ...below(join(docs, "reference")),
  ...(existsSync(join(docs, "guides")) ? below(join(docs, "guides")) : []),
];
/** Returns the anchors of a page, which code hosts derive from its headings. */
const anchorsOf = (text: string): readonly string[] =>
  [...text.replace(/^```.*?^```$/gms, "").matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .replace(/\s/g, "-"),
  );

it("every link in the documentation leads to an existing file and heading", () => {
  const broken = pages.flatMap((page) => {
    const text = readFileSync(page, "utf8").replace(/^```.*?^```$/gms, "");
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [file = "", anchor] = target.split("#");
        const at = file === "" ? page : join(dirname(page), file);
        if (!existsSync(at)) return true;
        return anchor !== undefined && !anchorsOf(readFileSync(at, "utf8")).includes(anchor);
      })
      .map((target) => `${relative(root, page)}: ${target}`);
  });
  expect(broken).toEqual([]);
});

it("the reference has a heading for every endpoint", () => {
  const headings = below(join(docs, "reference")).flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/^## (\w+)$/gm)].map(([, id]) => id),
  );
  const ids = endpointGroups.flatMap(({ endpoints }) => endpoints.map(({ id }) => id));
  expect(ids.filter((id) => !headings.includes(id))).toEqual([]);
});
