import { expect, it } from "vitest";
import { distinctNames } from "../../../demo/lib/distinct-names.ts";

it("issuers with the same common name are distinguished by API name, or else by ID", () => {
  const names = distinctNames([
    ["0a0a0a0a-1111", "root-g1", "Acme Root"],
    ["0b0b0b0b-2222", "", "Acme Root"],
    ["0c0c0c0c-3333", "issuing", "Acme Issuing"],
    ["0d0d0d0d-4444", "unread", ""],
    ["0e0e0e0e-5555", "", ""],
  ]);
  expect([...names.values()]).toEqual([
    "Acme Root (root-g1)",
    "Acme Root (0b0b0b0b)",
    "Acme Issuing",
    "unread",
    "0e0e0e0e",
  ]);
});
