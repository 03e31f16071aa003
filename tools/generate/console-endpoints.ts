import * as declared from "../../src/endpoints/all.ts";
import { routeOf } from "../../src/client/table.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { lineOf } from "./client.ts";
import type { Files } from "./product.ts";

/** The tables that the console calls, and where their paths lie: those of a mount are relative. */
const groups: readonly (readonly [
  name: string,
  base: string,
  endpoints: readonly AnyEndpoint[],
])[] = [
  ["pki", "", declared.pki],
  ["sys", "/sys/", declared.sys],
  ["auth", "/auth/", declared.auth],
  ["identity", "/identity/", declared.identity],
];

/**
 * Returns the endpoints that the console can call, each as a constant of its own with the types of
 * its input and reply: a bundler leaves out those that a page does not use.
 */
export const consoleEndpoints = (): Files =>
  Object.fromEntries(
    groups.map(([name, base, endpoints]) => {
      const client = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Client`;
      const rows = endpoints.flatMap((endpoint) => rowOf(endpoint, base, client));
      const text = rows.join("");
      const kinds = ["AuthEndpoint", "Endpoint"].filter((kind) => text.includes(` ${kind}<`));
      return [
        `demo/api/endpoints/${name}.ts`,
        `// Made by \`npm run generate\`; what is changed here is lost.
import type { ${client} } from "../../../src/client/${name}.ts";
import type { ${kinds.join(", ")} } from "../call.ts";

${text}`,
      ];
    }),
  );

/** Returns the constant of an endpoint; none where the body or the reply is not JSON in an envelope. */
function rowOf(endpoint: AnyEndpoint, base: string, client: string): readonly string[] {
  const { name, spellings, style, isBytes, holds, whole, isRest } = routeOf(
    endpoint.id,
    lineOf(endpoint),
  );
  if (style !== "envelope" || isBytes || whole || isRest || !["data", "auth"].includes(holds))
    return [];
  // one path for each set of parameters, the largest first
  const paths = new Map(
    spellings
      .toReversed()
      .map(({ method, path, names }) => [
        names.toSorted().join(),
        `${method} ${base}${path.slice(1)}`,
      ]),
  );
  const type = `${holds === "auth" ? "AuthEndpoint" : "Endpoint"}<${client}["${name}"]>`;
  return [`export const ${name}: ${type} = ${literal([...paths.values()].toReversed())};\n`];
}

/** Returns the expression of a route; a long one is a sum, which the bundler folds. */
function literal(paths: readonly string[]): string {
  const line = JSON.stringify(paths.join("|"));
  if (line.length < 96) return line;
  return paths
    .map((path, i) => JSON.stringify(i < paths.length - 1 ? `${path}|` : path))
    .join(" + ");
}
