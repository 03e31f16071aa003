// Builds the parts of the package besides the library: the Worker, the page, `sealwright`.
import { join } from "node:path";
import { buildWorker, endBuilds, worker } from "../../worker/build/build.ts";
import { buildPage, demoPath, root } from "./build-page.ts";
import { buildServer } from "./build-server.ts";

await buildWorker(worker.entry, worker.modules);
await buildPage(demoPath, "small");
await buildServer(join(root, "dist/bin"), "server/cli/bin.ts");
await endBuilds();
