// Builds the Worker for `wrangler` and for the package.
import { buildWorker, endBuilds, worker } from "./build.ts";

await buildWorker(worker.entry, worker.modules);
await endBuilds();
