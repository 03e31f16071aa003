import { isOfAcme } from "../../src/acme/protocol/problem.ts";
import { isConverted } from "../../src/client/der-source.ts";
import { refusals, statusOfRefusal, type Refusal } from "../../src/base/errors.ts";
import * as declared from "../../src/endpoints/all.ts";
import { about } from "../../src/sys/specs/about.ts";
import { parameterText, parameterValues } from "../../src/sys/specs/parameters.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { parameterNames, expandPatterns } from "../../src/wire/route-patterns.ts";
import { comment } from "./comment.ts";
import { membersOf, sharedTypes, type SharedTypes } from "./field-types.ts";
import { member, typeOf, type Schema } from "./json-type.ts";
import type { Files } from "./product.ts";

const notice = "// Made by `npm run generate`; what is changed here is lost.\n";

/** The endpoints of a client. */
export interface Group {
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
    doc: "Every endpoint below `/v1/cubbyhole`: private storage of a token.",
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

/** Generates the tables and types of the clients, and the table of error codes by status. */
export const clientTables = (): Files => ({
  ...Object.fromEntries(groups.map((group) => [`src/client/${group.name}.ts`, moduleOf(group)])),
  "src/client/codes.ts": codes(),
});

/** Error codes that follow from the HTTP status alone. */
function codes(): string {
  // the codes are named by the members of the table
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

/** Error codes that follow from the HTTP status alone. */
export const codes: Readonly<Record<number, Refusal>> = {
${sole.join("")}};
`;
}

function moduleOf(group: Group): string {
  const { name, doc, endpoints } = group;
  const rows = endpoints.map(
    (endpoint) => `${endpoint.id}: ${JSON.stringify(lineOf(endpoint))},\n`,
  );
  const { client, text: types, imports } = clientTypes(group);
  return `${notice}import type { ${imports.join(", ")} } from "./call.ts";
import type { Table } from "./table.ts";

${types}
${comment(doc)}export const ${name}: Table<${client}> = {
${rows.join("")}};
`;
}

/** The declarations of a client: its interface, and the types of inputs and replies. */
interface ClientTypes {
  /** Name of the interface. */
  readonly client: string;
  readonly text: string;
  /** Names of the types from `src/client/call.ts` that `text` uses. */
  readonly imports: readonly string[];
}

const callTypes = ["CallOptions", "DerSource", "Warned", "Warnings", "WithPrivateKey", "WrapInfo"];

/** Generates the types of a client, as source text. */
export function clientTypes({ name, base, doc, endpoints }: Group): ClientTypes {
  const client = `${pascal(name)}Client`;
  const shared = sharedTypes(endpoints);
  const names = new Map<string, string>();
  const types = endpoints.map(
    (endpoint) => [inputOf(endpoint, base, shared), replyOf(endpoint, shared)] as const,
  );
  const own = types
    .flat()
    .map((member) => declaration(member, names))
    .join("");
  const groups = shared
    .usedBy(own)
    .map((group) => `${comment(group.doc)}export type ${group.name} = ${group.type};\n`)
    .join("");
  const methods = endpoints.map((endpoint, i) => {
    const [input, reply] = types[i] ?? [];
    const overload = (inputType: string | undefined, replyType: string | undefined): string =>
      `${comment(textOf(endpoint, base))}${endpoint.id}(input${input?.isRequired ? "" : "?"}: ${
        inputType
      }, options?: CallOptions): Promise<${replyType}>;\n`;
    const general = overload(input?.name, reply?.name);
    return returnsNewKey(endpoint)
      ? overload(`${input?.name} & ${plainFormat}`, `WithPrivateKey<${reply?.name}>`) + general
      : general;
  });
  const text = `${groups}
${own}
${comment(`Typed client: ${doc}`)}export interface ${client} {
${methods.join("")}}
`;
  const imports = callTypes.filter((one) => new RegExp(`\\b${one}\\b`).test(text));
  return { client, text, imports };
}

/** Generates a type declaration, or an alias if an identical type was declared earlier. */
function declaration({ name, type }: MemberType, names: Map<string, string>): string {
  const same = names.get(type);
  if (same === undefined) names.set(type, name);
  // a type alias, because an interface is not assignable to a record with unknown members
  return `export type ${name} = ${same ?? type};\n`;
}

/** The type of a method's parameter or of its result. */
interface MemberType {
  readonly name: string;
  readonly type: string;
  /** Whether at least one member is required. */
  readonly isRequired?: boolean;
}

function inputOf(endpoint: AnyEndpoint, base: string, shared: SharedTypes): MemberType {
  const { id, body, at, rest } = endpoint;
  const paths = spellingsOf(at);
  const inPath = [...new Set(paths.flat())];
  const sole = soleOf(endpoint);
  const ownBody = Object.fromEntries(
    Object.entries(body).filter(([name]) => !inPath.includes(name) && !sole.includes(name)),
  );
  const parameters = inPath.map((name) => ({
    name,
    schema: parameterOf(endpoint, base, name),
    optional: !paths.every((names) => names.includes(name)),
  }));
  const members = [
    ...parameters
      .filter(({ name }) => !sole.includes(name))
      .map(({ name, schema, optional }) => ({
        name,
        text: member(name, schema, { way: "sent", optional }),
      })),
    ...membersOf(ownBody, "sent"),
    ...(rest ? [{ name: "", text: "readonly [name: string]: unknown;\n" }] : []),
  ];
  const all = shared.objectOf(members, "sent");
  return {
    name: `${pascal(id)}Input`,
    type: sole.length === 0 ? all : `${all} & (${alternatives(sole, endpoint)})`,
    isRequired:
      sole.length > 0 ||
      parameters.some(({ optional }) => !optional) ||
      Object.values(ownBody).some(({ required }) => required),
  };
}
/** Returns the names of members of which exactly one must be sent. */
const soleOf = ({ rules = [] }: AnyEndpoint): readonly string[] =>
  rules.flatMap((rule) => ("exactlyOne" in rule ? rule.exactlyOne : []));
const alternatives = (sole: readonly string[], { body }: AnyEndpoint): string =>
  sole
    .map((shape) => {
      const members = sole.map((name) =>
        name === shape
          ? member(name, body[name]?.json ?? {}, { way: "sent", optional: false })
          : `readonly ${name}?: undefined;\n`,
      );
      return `{\n${members.join("")}}`;
    })
    .join(" | ");
/** Returns the schema of a path parameter. */
function parameterOf({ body, at }: AnyEndpoint, base: string, name: string): Schema {
  const path = base + (at.find((one) => one.includes(`:${name}`))?.split(" ")[1] ?? "");
  const words = parameterValues(path, name);
  return {
    type: "string",
    description: body[name]?.json["description"] ?? parameterText(path, name),
    ...(words ? { enum: words } : {}),
  };
}
/** Returns the names of the path parameters of each route and its aliases. */
const spellingsOf = (at: AnyEndpoint["at"]): readonly (readonly string[])[] =>
  at.flatMap((one) => expandPatterns({ at: [one] }).map(([, path]) => parameterNames(path)));

/** Reports whether an endpoint of the variables API responds with bytes, as exports do. */
const answersBytes = ({ id, style }: AnyEndpoint): boolean =>
  style.name === "jsonapi" && about.media(id) !== undefined;

/** IDs of endpoints that respond with text, although their media type is binary. */
const texts: ReadonlySet<string> = new Set(["readCaChain"]);
/** Reports whether an endpoint that returns no document responds with text. */
const answersText = ({ id, style }: AnyEndpoint): boolean => {
  const media = about.media(id) ?? [style.answers ?? ""];
  return texts.has(id) || media.every((type) => /pem|^text\/|\/json$/.test(type));
};

function replyOf(endpoint: AnyEndpoint, shared: SharedTypes): MemberType {
  const { id, style, reply, whole } = endpoint;
  const name = `${pascal(id)}Reply`;
  if (answersBytes(endpoint) || style.name === "raw") {
    const type = answersText(endpoint) ? "string" : "Uint8Array";
    const always = style.name !== "raw" || style.answers !== undefined;
    return { name, type: always ? type : `${type} | undefined` };
  }
  if (style.contents === "wrap_info") return { name, type: "WrapInfo" };
  if (whole) return { name, type: shared.shorten(typeOf(whole.json, "replied")) };
  const members = membersOf(reply, "replied");
  if (members.length === 0) return { name, type: "Warned | undefined" };
  const type = shared.objectOf(members, "replied");
  return {
    name,
    type: style.name === "envelope" && !("warnings" in reply) ? `${type} & Warnings` : type,
  };
}

/** Reports whether an endpoint returns a new private key that is not in an archive. */
const returnsNewKey = ({ at, reply: { private_key: key } }: AnyEndpoint): boolean =>
  key !== undefined && !key.required && at.every((path) => /\/issue[/(]|\/exported$/.test(path));
/** The type of a request for any format that is not an archive. */
const plainFormat = `{ readonly format?: "pem" | "der" | "pem_bundle" | undefined }`;

/** Reports whether an endpoint lists names and responds with 404 if there are none. */
const isListing = ({ at, refuses = [] }: AnyEndpoint): boolean =>
  at.every((one) => one.startsWith("LIST ")) && refuses.includes("not_found");

const callers = {
  open: "Needs no token.",
  known: "Needs any valid token.",
  sudo: "Needs the capability `sudo`.",
  token: "",
} as const;
/** Returns the doc comment of a method: its purpose, paths, required access and errors. */
function textOf(endpoint: AnyEndpoint, base: string): string {
  const { doc, at, access } = endpoint;
  // the client returns an empty listing instead of this error
  const refuses = (endpoint.refuses ?? []).filter(
    (code) => code !== "not_found" || !isListing(endpoint),
  );
  const calls = [
    at.map((one) => `\`${one.replace(" ", ` ${base}`)}\``).join(", ") + ".",
    callers[access],
    refuses.length ? `Fails with ${refuses.map((code) => `\`${code}\``).join(", ")}.` : "",
  ]
    .filter(Boolean)
    .join(" ");
  const line = `${doc} ${calls}`;
  return line.length > 91 ? `${doc}\n${calls}` : line;
}

/**
 * Returns the word in a client's table for a response that is not a document. The style `raw` needs
 * none, because it means bytes.
 */
function rawWordOf(endpoint: AnyEndpoint): string {
  const { name } = endpoint.style;
  if (name !== "raw" && !answersBytes(endpoint)) return "";
  return answersText(endpoint) ? "text" : name === "raw" ? "" : "bytes";
}

/** Generates the row of an endpoint in a client's table, in the syntax of `Table`. */
export function lineOf(endpoint: AnyEndpoint): string {
  const { at, style, body, rawRest, whole, rest } = endpoint;
  const type = style.accepts["POST"];
  return [
    style.name === "envelope" ? "" : style.name,
    rawWordOf(endpoint),
    style.contents === undefined || style.contents === "data" ? "" : `in=${style.contents}`,
    style.whole === undefined ? "" : `body=${style.whole}:${type}`,
    rawRest ? "rest" : "",
    whole || (rest && style.contents) ? "open" : "",
    rest ? `free=${Object.keys(body).filter(isConverted).join(",")}` : "",
    isListing(endpoint) && endpoint.reply["key_info"]?.required ? "info" : "",
    at.join("|"),
  ]
    .filter(Boolean)
    .join(" ");
}
