import { isOfAcme, refusals, statusOfRefusal, type Refusal } from "../../src/base/errors.ts";
import * as declared from "../../src/endpoints/all.ts";
import { about } from "../../src/sys/specs/about.ts";
import { parameterText, parameterWords } from "../../src/sys/specs/parameters.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { parametersOf, spellings } from "../../src/wire/spelling.ts";
import { comment } from "./comment.ts";
import { member, typeOf, type Schema } from "./json-type.ts";
import type { Files } from "./product.ts";

const notice = "// Made by `npm run generate`; what is changed here is lost.\n";

/** A table of endpoints, as a client has it. */
interface Group {
  readonly name: string;
  readonly base: string;
  readonly doc: string;
  readonly endpoints: readonly AnyEndpoint[];
}
const groups: readonly Group[] = [
  {
    name: "pki",
    base: "/v1/pki",
    doc: "Every endpoint of a CA mount, such as `/v1/pki`.",
    endpoints: declared.pki,
  },
  {
    name: "sys",
    base: "/v1/sys",
    doc: "Every endpoint below `/v1/sys`.",
    endpoints: declared.sys,
  },
  {
    name: "auth",
    base: "/v1/auth",
    doc: "Every endpoint below `/v1/auth` that concerns tokens.",
    endpoints: declared.auth,
  },
  {
    name: "identity",
    base: "/v1/identity",
    doc: "Every endpoint below `/v1/identity`: entities, their aliases, and groups.",
    endpoints: declared.identity,
  },
  {
    name: "cubbyhole",
    base: "/v1/cubbyhole",
    doc: "Every endpoint below `/v1/cubbyhole`: what a token keeps for itself.",
    endpoints: declared.cubbyhole,
  },
  {
    name: "vars",
    base: "/api/v2",
    doc: "Every endpoint of the variables API below `/api/v2`.",
    endpoints: declared.vars,
  },
];

const pascal = (id: string): string => id.slice(0, 1).toUpperCase() + id.slice(1);

/** The light tables and their types, and what a status says of a refusal. */
export const clientTables = (): Files => ({
  ...Object.fromEntries(groups.map((group) => [`src/client/${group.name}.ts`, moduleOf(group)])),
  "src/client/codes.ts": codes(),
});

/** The refusals whose code their status alone tells. */
function codes(): string {
  // the members of the table are named by its codes
  const all = (Object.keys(refusals) as Refusal[]).filter((code) => !isOfAcme(code));
  const statuses = [
    ...new Set(all.flatMap((code) => [true, false].map((read) => statusOfRefusal(code, read)))),
  ].sort((a, b) => a - b);
  const sole = statuses.flatMap((status) => {
    const having = all.filter((code) =>
      [true, false].some((read) => statusOfRefusal(code, read) === status),
    );
    return having.length === 1 ? [`${status}: ${JSON.stringify(having[0])},\n`] : [];
  });
  return `${notice}import type { Refusal } from "../base/errors.ts";

/** The refusals whose code their status alone tells. */
export const codes: Readonly<Record<number, Refusal>> = {
${sole.join("")}};
`;
}

function moduleOf({ name, base, doc, endpoints }: Group): string {
  const client = `${pascal(name)}Client`;
  const known = new Map<string, string>();
  const types = endpoints.map((endpoint) => [inputOf(endpoint, base), replyOf(endpoint)] as const);
  const body = types
    .flat()
    .map((made) => declaration(made, known))
    .join("");
  const methods = endpoints.map((endpoint, i) => {
    const [input, reply] = types[i] ?? [];
    return `${comment(textOf(endpoint, base))}${endpoint.id}(input${input?.demanded ? "" : "?"}: ${
      input?.name
    }, options?: CallOptions): Promise<${reply?.name}>;\n`;
  });
  const rows = endpoints.map(
    (endpoint) => `${endpoint.id}: ${JSON.stringify(lineOf(endpoint))},\n`,
  );
  const text = `${body}
${comment(`Typed client: ${doc}`)}export interface ${client} {
${methods.join("")}}

${comment(doc)}export const ${name}: Table<${client}> = {
${rows.join("")}};
`;
  const used = ["CallOptions", "RawBytes", "Warned", "WrapInfo"].filter((one) =>
    text.includes(one),
  );
  return `${notice}import type { ${used.join(", ")} } from "./call.ts";
import type { Table } from "./table.ts";

${text}`;
}

/** A type of its own, or another name of one that is the same. */
function declaration({ name, type, doc }: Made, known: Map<string, string>): string {
  const same = known.get(type);
  if (same === undefined) known.set(type, name);
  // an interface could not be passed on as a record of unknown members
  return `${comment(doc)}export type ${name} = ${same ?? type};\n`;
}

/** A type that a method has. */
interface Made {
  readonly name: string;
  readonly type: string;
  readonly doc: string;
  /** Whether something must be sent. */
  readonly demanded?: boolean;
}

function inputOf(endpoint: AnyEndpoint, base: string): Made {
  const { id, body, at, rest } = endpoint;
  const paths = spellingsOf(at);
  const inPath = [...new Set(paths.flat())];
  const members = [
    ...inPath.map((name) => ({
      name,
      schema: parameterOf(endpoint, base, name),
      optional: !paths.every((names) => names.includes(name)),
    })),
    ...Object.entries(body)
      .filter(([name]) => !inPath.includes(name))
      .map(([name, { json, required }]) => ({ name, schema: json, optional: !required })),
  ];
  const sole = soleOf(endpoint);
  const text = members
    .filter(({ name }) => !sole.includes(name))
    .map(({ name, schema, optional }) => member(name, schema, { way: "sent", optional }));
  const more = rest ? "readonly [name: string]: unknown;\n" : "";
  const all = `{\n${text.join("")}${more}}`;
  return {
    name: `${pascal(id)}Input`,
    doc: `What \`${id}\` takes.`,
    type: sole.length === 0 ? all : `${all} & (${alternatives(sole, endpoint)})`,
    demanded: sole.length > 0 || members.some(({ optional }) => !optional),
  };
}
/** Members of which exactly one must be sent. */
const soleOf = ({ rules = [] }: AnyEndpoint): readonly string[] =>
  rules.flatMap((rule) => ("exactlyOne" in rule ? rule.exactlyOne : []));
const alternatives = (sole: readonly string[], { body }: AnyEndpoint): string =>
  sole
    .map((given) => {
      const members = sole.map((name) =>
        name === given
          ? member(name, body[name]?.json ?? {}, { way: "sent", optional: false })
          : `readonly ${name}?: undefined;\n`,
      );
      return `{\n${members.join("")}}`;
    })
    .join(" | ");
/** A parameter of the path, as the description of the API tells of it. */
function parameterOf({ body, at }: AnyEndpoint, base: string, name: string): Schema {
  const path = base + (at.find((one) => one.includes(`:${name}`))?.split(" ")[1] ?? "");
  const words = parameterWords(path, name);
  return {
    type: "string",
    description: body[name]?.json["description"] ?? parameterText(path, name),
    ...(words ? { enum: words } : {}),
  };
}
/** The parameters of each spelling. */
const spellingsOf = (at: AnyEndpoint["at"]): readonly (readonly string[])[] =>
  at.flatMap((one) => spellings({ at: [one] }).map(([, path]) => parametersOf(path)));

/** Whether documents are sent and bytes come back, as of an export. */
const answersBytes = ({ id, style }: AnyEndpoint): boolean =>
  style.name === "jsonapi" && about.media(id) !== undefined;

function replyOf(endpoint: AnyEndpoint): Made {
  const { id, style, reply, whole } = endpoint;
  const made = { name: `${pascal(id)}Reply`, doc: `What \`${id}\` answers.` };
  if (answersBytes(endpoint)) return { ...made, type: "RawBytes" };
  if (style.name === "raw")
    return { ...made, type: style.answers === undefined ? "RawBytes | undefined" : "RawBytes" };
  if (style.holds === "wrap_info") return { ...made, type: "WrapInfo" };
  if (whole) return { ...made, type: typeOf(whole.json, "replied") };
  const members = Object.entries(reply).map(([key, { json, required }]) =>
    member(key, json, {
      way: "replied",
      optional: !required && !("default" in json),
    }),
  );
  if (members.length === 0) return { ...made, type: "Warned | undefined" };
  return {
    ...made,
    type: `{\n${members.join("")}${
      style.name === "envelope" && !("warnings" in reply)
        ? "/** What the authority has to say about what it did. */\nreadonly warnings?: readonly string[];\n"
        : ""
    }}`,
  };
}

const callers = {
  open: "Needs no token.",
  known: "Needs any valid token.",
  sudo: "Needs the capability `sudo`.",
  token: "",
} as const;
/** What is told of a method. */
const textOf = ({ doc, at, access, refuses = [] }: AnyEndpoint, base: string): string =>
  [
    doc,
    "",
    at.map((one) => `\`${one.replace(" ", ` ${base}`)}\``).join(", ") +
      `. ${callers[access]}`.trimEnd(),
    ...(refuses.length
      ? ["", `Refuses with ${refuses.map((code) => `\`${code}\``).join(", ")}.`]
      : []),
  ].join("\n");

/** A row of a table, as `Table` says. */
function lineOf(endpoint: AnyEndpoint): string {
  const { at, style, rawRest, whole, rest } = endpoint;
  const type = style.accepts["POST"];
  return [
    style.name === "envelope" ? "" : style.name,
    answersBytes(endpoint) ? "bytes" : "",
    style.holds === undefined || style.holds === "data" ? "" : `in=${style.holds}`,
    style.whole === undefined ? "" : `body=${style.whole}:${type}`,
    rawRest ? "rest" : "",
    whole || (rest && style.holds) ? "open" : "",
    at.join("|"),
  ]
    .filter(Boolean)
    .join(" ");
}
