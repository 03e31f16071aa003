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
  ["a browser without such an interface", undefined, "unknown"],
  ["one that refuses to tell", storage({ persisted: refuse("SecurityError") }), "unknown"],
  [
    "one that was asked to keep it",
    storage({ persisted: () => Promise.resolve(true) }),
    "persistent",
  ],
  ["a normal window", storage({}), "best effort"],
  [
    "a normal window of a browser without private files",
    { persisted: async () => false, estimate: async () => ({ quota: 10e9 }) },
    "best effort",
  ],
  [
    "a private window of Chromium, which offers little room",
    storage({ estimate: async () => ({ quota: 1e8 }) }),
    "forgets",
  ],
  [
    "a private window of Firefox, which refuses private files",
    storage({ getDirectory: refuse("SecurityError") }),
    "forgets",
  ],
  [
    "a window whose private files fail otherwise",
    storage({ getDirectory: refuse("UnknownError") }),
    "best effort",
  ],
];
it.each(cases)("%s is distinguished from the others", async (_, given, told) => {
  expect(await readPersistence(given)).toBe(told);
});
