// Builds what the package brings beside the library: the Worker, the page, `sealwright`.
import { join } from "node:path";
import { build } from "esbuild";
import {
  buildPage,
  buildWorker,
  demoPath,
  endBuilds,
  root,
  worker,
} from "../../worker/build/build.ts";

await buildWorker(worker.entry, worker.modules);
await buildPage(demoPath, "small");
await build({
  entryPoints: [join(root, "server/cli/bin.ts")],
  outfile: join(root, "dist/bin/sealwright.js"),
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  legalComments: "none",
  logLevel: "warning",
});
await endBuilds();
