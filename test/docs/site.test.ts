import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesLinkedBy, navigationOf, pagesOf, titleOf } from "../../tools/docs-site/pages.ts";
import { root } from "../support/syntax.ts";

const listed = navigationOf(root).flatMap(({ pages }) => pages);

describe("the documentation site", () => {
  it("lists existing pages in its navigation, each once and with a title", () => {
    expect(listed.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
    expect(
      listed.map((path) => titleOf(root, path)).filter((title) => title.endsWith(".md")),
    ).toEqual([]);
  });

  it("has every page in its navigation, except those that other pages link", () => {
    const others = /^(?:docs\/rules|docs\/README|docs\/reference\/README)/;
    expect(pagesOf(root).filter((path) => !listed.includes(path) && !others.test(path))).toEqual(
      [],
    );
  });

  it("includes the files that pages link", () => {
    expect(filesLinkedBy(root, "docs/deploy.md")).toContain("deploy/Dockerfile");
    expect(filesLinkedBy(root, "README.md")).toContain("docs/screenshots/overview-dark.webp");
  });
});
