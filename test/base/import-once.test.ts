import { expect, it } from "vitest";
import { importOnce } from "../../src/base/memo.ts";

it("importOnce imports a module on the first call, and returns it synchronously from then on", async () => {
  let imports = 0;
  const module = { name: "module" };
  const get = importOnce(async () => (imports++, module));
  expect(await get()).toBe(module);
  expect(get()).toBe(module);
  expect(imports).toBe(1);
});

it("importOnce imports again after a failure, and does not wait for the import of another call", async () => {
  const outcomes = [
    Promise.reject(new Error("not yet")),
    new Promise<{ readonly name: string }>(() => {}),
    Promise.resolve({ name: "module" }),
  ];
  const get = importOnce(() => outcomes.shift() ?? Promise.reject(new Error("once more")));
  await expect(get()).rejects.toThrow("not yet");
  void get();
  expect(await get()).toEqual({ name: "module" });
  expect(get()).toEqual({ name: "module" });
});
