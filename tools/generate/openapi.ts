import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { tables } from "../../src/endpoints/tables.ts";
import { about } from "../../src/sys/specs/about.ts";
import { usualGroups } from "../../src/sys/specs-run.ts";
import { varsGroups } from "../../src/vars/described.ts";
import { type Group, openapi } from "../../src/wire/openapi.ts";
import { shownExamples } from "./examples.ts";
import type { Files } from "./product.ts";

const packageJson = resolve(import.meta.dirname, "../../package.json");
// npm writes the version there
const { version } = JSON.parse(readFileSync(packageJson, "utf8")) as { readonly version: string };

/** Returns all endpoints of a server, at their usual paths. */
export const allGroups = (): Promise<readonly Group[]> =>
  usualGroups({ ...tables, beside: async () => varsGroups() });

/**
 * Generates the OpenAPI document that a server shows to anonymous callers, and the file with the
 * package's version.
 */
export async function documentFile(): Promise<Files> {
  const examples = await shownExamples();
  const servers = [
    { url: "http://127.0.0.1:8787", description: "`npm start`" },
    {
      url: "https://{host}",
      description: "Another server.",
      variables: { host: { default: "ca.corp.internal", description: "Its name." } },
    },
  ];
  const document = openapi(await allGroups(), {
    ...about,
    version,
    servers,
    example: (id) => examples.get(id),
  });
  const constant = `// Made by \`npm run generate\`; what is changed here is lost.

/** The version of this package. */
export const version = ${JSON.stringify(version)};
`;
  return {
    "src/sys/specs/version.ts": constant,
    "docs/openapi.json": `${inLines(document, 3)}\n`,
  };
}

/**
 * Formats JSON with one line for each member down to `depth`, for example for each operation or
 * schema.
 */
function inLines(value: unknown, depth: number): string {
  if (depth === 0 || typeof value !== "object" || value === null || Array.isArray(value))
    return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${inLines(member, depth - 1)}`,
  );
  return `{\n${members.join(",\n")}\n}`;
}
