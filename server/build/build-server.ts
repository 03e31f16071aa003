import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./build-page.ts";

/**
 * Builds the server into a directory of ES modules for Node: `sealwright.js` from the program at
 * `entry`, the entry points of its processes and threads, and chunks that are loaded on first use.
 */
export async function buildServer(outdir: string, entry: string): Promise<void> {
  await build({
    entryPoints: [
      { in: join(root, entry), out: "sealwright" },
      { in: join(root, "server/process/worker.ts"), out: "worker" },
      { in: join(root, "server/data/commit-thread.ts"), out: "commit-thread" },
    ],
    outdir,
    chunkNames: "part-[name]-[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: true,
    platform: "node",
    format: "esm",
    target: "node22",
    // an installed server has no test clock
    define: { "process.env.SEALWRIGHT_TEST_CLOCK": "undefined" },
    // the PostgreSQL driver uses pg-native if it is installed
    external: ["esbuild", "pg-native"],
    // the PostgreSQL driver is CommonJS, and requires modules of Node
    banner: {
      js: 'import{createRequire as requireOf}from"node:module";const require=requireOf(import.meta.url);',
    },
    legalComments: "none",
    logLevel: "warning",
  });
}
