import * as declared from "../../src/endpoints/all.ts";
import { routeOf } from "../../src/client/table.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { clientTypes, lineOf } from "./client.ts";
import type { Files } from "./product.ts";

/** A group of endpoints that the console can call. */
interface Group {
  readonly name: string;
  /** Prefix of the paths; empty if they are relative to a mount. */
  readonly base: string;
  readonly endpoints: readonly AnyEndpoint[];
}
const groups: readonly Group[] = [
  { name: "pki", base: "", endpoints: declared.pki },
  { name: "sys", base: "/sys/", endpoints: declared.sys },
  { name: "auth", base: "/auth/", endpoints: declared.auth },
  { name: "identity", base: "/identity/", endpoints: declared.identity },
  { name: "vars", base: "/", endpoints: declared.vars },
];
const logins: Group = {
  name: "logins",
  base: "",
  endpoints: [
    ...declared.approle,
    ...declared.cert,
    ...declared.jwt,
    ...declared.kubernetes,
    ...declared.userpass,
  ],
};

const pascal = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
const notice = "// Made by `npm run generate`; what is changed here is lost.\n";

/**
 * Generates the endpoints that the console can call, each as a constant with the types of its input
 * and reply. The types of the login methods are generated too, because the library has no client
 * for them.
 */
export const consoleEndpoints = (): Files => {
  const { client, text, imports } = clientTypes({
    ...logins,
    doc: "The endpoints of a login method, below `/v1/auth/<path>`.",
    base: "/v1/auth/:path",
  });
  return {
    ...Object.fromEntries(
      groups.map((group) => {
        const client = `${pascal(group.name)}Client`;
        const path = `../../../src/client/${group.name}.ts`;
        return fileOf(group, client, `import type { ${client} } from "${path}";\n`);
      }),
    ),
    ...Object.fromEntries([
      fileOf(
        logins,
        client,
        `import type { ${imports.join(", ")} } from "../../../src/client/call.ts";\n`,
        text,
      ),
    ]),
  };
};

/** Returns the path and the content of a generated file. */
const fileOf = (
  { name, base, endpoints }: Group,
  client: string,
  imports: string,
  types = "",
): readonly [path: string, text: string] => [
  `demo/api/endpoints/${name}.ts`,
  `${notice}${imports}import type { Endpoint } from "../endpoint.ts";

${types}
${endpoints.map((endpoint) => rowOf(endpoint, base, client)).join("")}`,
];

/** Suffixes of a path, by required access if the method's capability alone does not decide it. */
const suffixes = {
  token: "",
  sudo: " sudo",
  known: " open",
  open: " open",
} as const satisfies Record<AnyEndpoint["access"], string>;

/** Generates the constant of an endpoint. */
function rowOf(endpoint: AnyEndpoint, base: string, client: string): string {
  const { name, spellings } = routeOf(endpoint.id, lineOf(endpoint));
  // one path for each set of parameters, beginning with the largest set
  const paths = new Map(
    spellings
      .toReversed()
      .map(({ method, path, names }) => [
        names.toSorted().join(),
        `${method} ${base}${path.slice(1)}${suffixes[endpoint.access]}`,
      ]),
  );
  const text = literal([...paths.values()].toReversed());
  return `export const ${name}: Endpoint<${client}["${name}"]> = ${text};\n`;
}

/**
 * Generates the expression of a route. A long string is written as a sum, which the bundler folds.
 */
function literal(paths: readonly string[]): string {
  const line = JSON.stringify(paths.join("|"));
  if (line.length < 96) return line;
  return paths
    .map((path, i) => JSON.stringify(i < paths.length - 1 ? `${path}|` : path))
    .join(" + ");
}
