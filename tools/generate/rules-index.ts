import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Files } from "./product.ts";

const folder = resolve(import.meta.dirname, "../../docs/rules");

/**
 * Generates docs/rules/README.md: the ID and the title of every rule section, with a link to it.
 */
export function rulesIndex(): Files {
  const lists = readdirSync(folder)
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .sort()
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), "utf8");
      const links = [...text.matchAll(/^#{2,3} ([A-Z] \d[\d.]*) (.*)$/gm)].map(
        ([, id = "", title = ""]) => `- [${id} ${title}](${name}#${anchorOf(`${id} ${title}`)})\n`,
      );
      const heading = /^# (.*)$/m.exec(text)?.[1] ?? name;
      const all = `[${name}](${name})`;
      return [`## ${heading}\n\n${links.length > 0 ? links.join("") : `${all}\n`}`];
    });
  return {
    "docs/rules/README.md": `<!-- Made by \`npm run generate\`; what is changed here is lost. -->
# Rules

What Sealwright does, rule by rule. Comments and tests cite a rule by its id: \`(A 6.3 rule 5)\` is rule 5 of section A 6.3, \`security row 36\` is S 36. Search this page for the id.

${lists.join("\n")}`,
  };
}

/** Returns the anchor that code hosts generate for a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .replace(/\s/g, "-");
