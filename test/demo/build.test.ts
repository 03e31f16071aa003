import { build } from "esbuild";
import { expect, it } from "vitest";
import { replaceModules } from "../../demo/build.ts";

const bundle = (...table: Parameters<typeof replaceModules>[0]): Promise<string> =>
  build({
    stdin: {
      contents: `export { oidNames } from "./store.ts";`,
      resolveDir: `${import.meta.dirname}/../../demo/lib`,
    },
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "silent",
    plugins: [replaceModules(table)],
  }).then(({ outputFiles: [file] }) => file?.text ?? "");

it("a build contains the replacement of a module whose path matches a pattern", async () => {
  const text = await bundle([/[\\/]lib[\\/]store\.ts$/, `export const oidNames = "replaced";`]);
  expect(text).toContain(`"replaced"`);
});

it("a build fails if the pattern of a replaced module matches no module, and names the pattern", async () => {
  await expect(
    bundle(
      [/[\\/]lib[\\/]store\.ts$/, `export const oidNames = "replaced";`],
      [/[\\/]lib[\\/]words\.ts$/, `export const words = "";`],
    ),
  ).rejects.toThrow(String.raw`no module matches [\\/]lib[\\/]words\.ts$`);
});
