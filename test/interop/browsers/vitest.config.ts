import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { engines } from "./engine.ts";
import { provider } from "./provider.ts";

/**
 * Runs the tests of `test/browser`, which `npm test` runs in Chromium, in the other installed
 * browsers, and one flow of the console in each.
 */
export default defineConfig({
  root: resolve(import.meta.dirname, "../../.."),
  test: {
    projects: [
      ...engines.map((engine) => ({
        test: {
          name: engine.name,
          include: ["test/browser/**/*.test.ts"],
          testTimeout: 120_000,
          browser: {
            enabled: true,
            connectTimeout: 180_000,
            headless: false,
            ui: false,
            screenshotFailures: false,
            provider: provider(engine),
            instances: [{ browser: engine.name }],
          },
        },
      })),
      {
        test: {
          name: "flow",
          include: ["test/interop/browsers/flow.ts"],
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
