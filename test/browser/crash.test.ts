import { expect, it } from "vitest";
import { indexedDbStore } from "../../src/store/indexeddb.ts";

it("a tab that is killed during commits loses no acknowledged change and leaves no partial one", async () => {
  const name = `crash-${Date.now()}`;
  const store = indexedDbStore(name)("mount");
  let told = 0;
  for (let round = 0; round < 10; round++) {
    const worker = new Worker(new URL("./crash.worker.ts", import.meta.url), { type: "module" });
    const enough = told + 3 + round;
    await new Promise<void>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<number>) => {
        told = data;
        if (told >= enough) resolve();
      };
      worker.onerror = reject;
      worker.postMessage(name);
    });
    worker.terminate();
    const [a, b, page, epoch] = await store.get(["a", "b", "p/00000000", "epoch"]);
    const n = Number(a?.value);
    // the last commit may not have been acknowledged before the worker was killed
    expect(n).toBeGreaterThanOrEqual(told);
    expect(b?.value).toHaveLength(n * 1000);
    expect(page?.value).toEqual(Uint8Array.from({ length: n }, (_, at) => at + 1));
    expect(epoch?.value).toBe(n);
    expect(
      (await store.list("", { by: { name: "name" }, values: false })).map(([key]) => key),
    ).toEqual(["a"]);
    told = n;
  }
});
