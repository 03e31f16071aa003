import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/**
 * Converts lazy imports to static ones, for a build into a single script. Otherwise the bundler
 * would wrap each lazily imported module and its imports in a function and make the script larger.
 */
export const oneScript: Plugin = {
  name: "one-script",
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/](src|worker)[\\/].*\.ts$/ }, async ({ path }) => {
      const contents = await readFile(path, "utf8");
      const later: string[] = [];
      const whole = contents.replace(
        /(?<!typeof )\bimport\(("\.[^"]+\.ts")\)/g,
        (_, from: string) => {
          if (!later.includes(from)) later.push(from);
          return `Promise.resolve(later${later.indexOf(from)})`;
        },
      );
      if (later.length === 0) return undefined;
      const imports = later.map((from, i) => `import * as later${i} from ${from};`);
      return { contents: [whole, ...imports].join("\n"), loader: "ts" };
    });
  },
};
