import { indexedDbStore } from "../../src/store/indexeddb.ts";
import { increments } from "./increments.ts";

addEventListener("message", ({ data }) => {
  void increments(indexedDbStore(String(data))("mount"), 50).then(
    () => postMessage("done"),
    (error: unknown) => postMessage(String(error)),
  );
});
