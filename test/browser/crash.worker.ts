import { indexedDbStore } from "../../src/store/indexeddb.ts";

/** Commits batches of several rows in an endless loop, and reports each acknowledged one. */
onmessage = ({ data }: MessageEvent<string>) => void commitAll(indexedDbStore(data)("mount"));

async function commitAll(store: ReturnType<ReturnType<typeof indexedDbStore>>): Promise<void> {
  const [row] = await store.get(["a"]);
  for (let n = Number(row?.value ?? 0) + 1; ; n++) {
    const batch = {
      epoch: "next",
      put: [
        ["a", n, { name: `n${n}` }],
        ["b", new Uint8Array(n * 1000)],
      ],
      append: [["p/", Uint8Array.of(n)]],
    } as const;
    await store.commit(batch);
    postMessage(n);
  }
}
