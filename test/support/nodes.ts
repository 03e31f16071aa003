import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** What of the search path is the machine's own. */
export const placesOfMachine = (): readonly string[] =>
  (process.env["PATH"] ?? "").split(delimiter).filter((place) => !place.includes("node_modules"));

/** The Node that runs the tests, and the one of the machine, which may be older. */
export function nodes(): readonly (readonly [name: string, path: string])[] {
  const other = placesOfMachine()
    .map((place) => join(place, "node"))
    .find((path) => existsSync(path));
  return [
    ["the Node of the tests", process.execPath],
    ...(other ? [["the Node of the machine", other] as const] : []),
  ];
}
