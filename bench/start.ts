import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../test/support/server.ts";
import { atMost, figure, median, round } from "./figures.ts";
import { caller, prepare } from "./server.ts";

async function once(dataDir: string, first: boolean): Promise<number> {
  const begun = performance.now();
  const server = await startServer({ dataDir });
  try {
    const call = caller(server);
    if (first) await prepare(call);
    await call("issue/web", { common_name: "first.example.com" });
    return performance.now() - begun;
  } finally {
    await server.stop();
  }
}

/**
 * From the start of the launcher to the first certificate in hand: a new deployment (root and role
 * made too), and one that starts again.
 */
export async function benchStart(): Promise<void> {
  const fresh: number[] = [];
  const again: number[] = [];
  for (let i = 0; i < 4; i++) {
    const dataDir = mkdtempSync(join(tmpdir(), "sealwright-bench-"));
    try {
      const first = await once(dataDir, true);
      // the first start bundles the Worker too
      if (i > 0) fresh.push(first);
      else figure("start with bundling, root, role, first certificate", `${round(first)} ms`);
      again.push(await once(dataDir, false));
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  }
  atMost("start to the first certificate, new: root and role too", median(fresh), 1500, "ms");
  atMost("start to the first certificate, again", median(again), 1500, "ms");
}
