import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { builtServer } from "../support/built.ts";
import { pinnedNode } from "../support/server.ts";

it("the program starts without Node's implementation of fetch", async () => {
  const loaded = (code: string, ...words: readonly string[]): boolean => {
    const report = 'process.on("exit", () => console.error(process.moduleLoadList.join("\\n")));';
    const flags = ["--input-type=module", "-e", `${report}\n${code}`];
    const { status, stderr } = spawnSync(pinnedNode(), [...flags, ...words], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, expect.stringContaining("NativeModule fs\n")]);
    return stderr.includes("/undici");
  };
  expect(loaded('await import("node:http");')).toBe(true);
  expect(loaded("await import(process.argv[1]);", await builtServer(), "version")).toBe(false);
});
