import { expect, it } from "vitest";
import { readPersistence, type Persistence, type Storage } from "../../../demo/lib/persistence.ts";

const storage = (change: Storage): Storage => ({
  persisted: async () => false,
  estimate: async () => ({ quota: 10e9 }),
  // The resolved value is not used.
  getDirectory: async () => ({}) as FileSystemDirectoryHandle,
  ...change,
});
const refuse = (name: string) => () => Promise.reject(new DOMException("no", name));

const cases: readonly (readonly [string, Storage | undefined, Persistence])[] = [
  ["a browser without the storage API", undefined, "unknown"],
  ["a browser that refuses to answer", storage({ persisted: refuse("SecurityError") }), "unknown"],
  [
    "a window with persistent storage",
    storage({ persisted: () => Promise.resolve(true) }),
    "persistent",
  ],
  ["a normal window", storage({}), "best effort"],
  [
    "a normal window of a browser without OPFS",
    { persisted: async () => false, estimate: async () => ({ quota: 10e9 }) },
    "best effort",
  ],
  [
    "a private window of Chromium, which offers little storage",
    storage({ estimate: async () => ({ quota: 1e8 }) }),
    "forgets",
  ],
  [
    "a private window of Firefox, which refuses OPFS",
    storage({ getDirectory: refuse("SecurityError") }),
    "forgets",
  ],
  [
    "a window in which OPFS fails for another reason",
    storage({ getDirectory: refuse("UnknownError") }),
    "best effort",
  ],
];
it.each(cases)("storage persistence is detected in %s", async (_, given, told) => {
  expect(await readPersistence(given)).toBe(told);
});
