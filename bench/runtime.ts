import { join } from "node:path";
import { root } from "../server/build/build-page.ts";
import { startDeployed } from "../test/support/deployed.ts";
import { atLeast, figure, median, round } from "./figures.ts";

/**
 * Measures the same as the `process` bench, but inside the Workers runtime. Times are measured from
 * outside, because the runtime's clock stands still during computations.
 */
export async function benchRuntime(): Promise<void> {
  const server = await startDeployed({ entry: join(root, "bench/runtime-worker.ts") });
  const rate = async (what: string, count: number): Promise<number> => {
    const begun = performance.now();
    const response = await fetch(`${server.url}/${what}?count=${count}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`${what}: ${response.status} ${text}`);
    return (count * 1000) / (performance.now() - begun);
  };
  try {
    for (const what of ["raw", "leaf", "issue"]) await rate(what, 2000);
    const seen = { raw: [] as number[], leaf: [] as number[], issue: [] as number[] };
    for (let i = 0; i < 5; i++) {
      seen.raw.push(await rate("raw", 20_000));
      seen.leaf.push(await rate("leaf", 15_000));
      seen.issue.push(await rate("issue", 5000));
    }
    const against = (values: readonly number[]) =>
      median(values.map((value, i) => value / (seen.raw[i] ?? Number.NaN)));
    figure("in workerd: P-256 signatures by WebCrypto alone", `${round(median(seen.raw))}/s`);
    atLeast(
      "in workerd: encode and sign a leaf, relative to that",
      against(seen.leaf),
      0.5,
      `${round(median(seen.leaf))}/s`,
    );
    atLeast(
      "in workerd: a whole issuance, relative to that",
      against(seen.issue),
      0.25,
      `${round(median(seen.issue))}/s`,
    );
  } finally {
    await server.stop();
  }
}
