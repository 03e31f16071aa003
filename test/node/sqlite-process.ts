import { sqliteStore } from "../../src/node/index.ts";
import { begin, increments } from "../browser/increments.ts";

/**
 * A process that shares a file with the test that starts it. `increments` adds one to a row, 200
 * times. `writes` writes pairs of rows until it is killed, and prints the number of each pair once
 * the write is acknowledged.
 */
const [act = "", file = ""] = process.argv.slice(2);
const store = sqliteStore(file)("mount");
if (act === "increments") {
  await begin(store);
  await increments(store, 200);
} else
  for (let n = 1; ; n += 1) {
    const value = { n, bytes: new Uint8Array(n % 50 === 0 ? 2_500_000 : 10).fill(n) };
    const names = [`a/${process.pid}/${n}`, `b/${process.pid}/${n}`] as const;
    await store.commit({
      expect: names.map((name) => [name, null]),
      put: names.map((name) => [name, value, { name: `n${n}` }]),
      append: [["p/", Uint8Array.of(1)]],
      log: [["log/", n]],
    });
    process.stdout.write(`${n}\n`);
  }
