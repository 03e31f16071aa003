import { expect, it, vi } from "vitest";
import { authority } from "../support/authority.ts";

vi.mock("../../src/wire/audited-run.ts", () => {
  throw new Error("the module cannot be loaded");
});

it("a rejected caller gets its error even if the module that stores refusals cannot be loaded", async () => {
  const a = authority();
  for (const token of ["", "unknown"]) {
    const { status, errors } = await a.call("LIST", "pki/roles", undefined, { token });
    expect([status, errors[0]]).toEqual([403, expect.stringContaining("permission denied")]);
  }
});
