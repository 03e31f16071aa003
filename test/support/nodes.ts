import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Returns the entries of the search path outside this project. */
export const placesOfMachine = (): readonly string[] =>
  (process.env["PATH"] ?? "").split(delimiter).filter((place) => !place.includes("node_modules"));

/** Returns the Node that runs the tests, and that of the system, which may be older. */
export function nodes(): readonly (readonly [name: string, path: string])[] {
  const other = placesOfMachine()
    .map((place) => join(place, "node"))
    .find((path) => existsSync(path));
  return [
    ["the Node of the tests", process.execPath],
    ...(other ? [["the Node of the machine", other] as const] : []),
  ];
}
