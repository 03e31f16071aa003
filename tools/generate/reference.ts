import { statusOfRefusal } from "../../src/base/errors.ts";
import { about } from "../../src/sys/specs/about.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { areaOf, replyValues, type Group } from "../../src/wire/openapi.ts";
import { parameterNames, expandPatterns } from "../../src/wire/route-patterns.ts";
import { curlOf } from "./curl.ts";
import { shownExamples, type ShownRequest } from "./examples.ts";
import { allGroups } from "./openapi.ts";
import type { Files } from "./product.ts";
import { sentenceOf, tableOf } from "./rows.ts";
import { sharedRows, type RowsOf } from "./shared-fields.ts";

const notice = "<!-- Made by `npm run generate`; what is changed here is lost. -->\n";
const folder = "docs/reference";

/** A page of the reference. */
interface Page {
  readonly name: string;
  readonly about: string;
  readonly part: string;
  readonly endpoints: { readonly endpoint: AnyEndpoint; readonly group: Group }[];
}
const fileOf = (name: string): string => `${name.toLowerCase().replace(/\W+/g, "-")}.md`;
/** Headings of the parts of the index, by a pattern for the paths of their endpoints. */
const parts: readonly (readonly [RegExp, string])[] = [
  [/^\/v1\/pki/, "A certificate authority"],
  [/^\/v1\/auth\/(?!$)/, "Logins"],
  [/^\/v1/, "The server"],
  [/^/, "Variables"],
];
const partOf = (base: string): string => parts.find(([at]) => at.test(base))?.[1] ?? "";

function pagesOf(groups: readonly Group[]): readonly Page[] {
  const pages = new Map<string, Page>();
  for (const group of groups)
    for (const endpoint of group.endpoints) {
      const path = expandPatterns(endpoint)[0]?.[1] ?? "";
      const { name, about: text } = areaOf(group, path);
      const page = pages.get(name) ?? {
        name,
        about: text,
        part: partOf(group.base),
        endpoints: [],
      };
      page.endpoints.push({ endpoint, group });
      pages.set(name, page);
    }
  return [...pages.values()];
}

/** Generates the reference: a page for each area, and an index. */
export async function referenceFiles(): Promise<Files> {
  const examples = await shownExamples();
  const groups = await allGroups();
  const pages = pagesOf(groups);
  const rowsOf = sharedRows(groups.flatMap(({ endpoints }) => endpoints));
  return {
    [`${folder}/README.md`]: indexOf(pages),
    ...Object.fromEntries(
      pages.map((page) => [`${folder}/${fileOf(page.name)}`, pageOf(page, examples, rowsOf)]),
    ),
  };
}

function indexOf(pages: readonly Page[]): string {
  const list = [...new Set(pages.map(({ part }) => part))].map((part) => {
    const lines = pages
      .filter((page) => page.part === part)
      .map(({ name, about: text, endpoints }) => {
        const links = endpoints.map(
          ({ endpoint: { id } }) => `[${id}](${fileOf(name)}#${id.toLowerCase()})`,
        );
        return `### [${name}](${fileOf(name)})\n\n${text}\n\n${links.join(" · ")}\n`;
      });
    return `## ${part}\n\n${lines.join("\n")}`;
  });
  return `${notice}# API reference

${about.description}

For programs: [openapi.json](../openapi.json). A server returns the same document at \`GET /v1/sys/internal/specs/openapi\` without a token, and one for its own mounts with a token. Names such as \`issue\` are the methods of the typed client and the operation ids. \`:name\` in a path is a parameter. Fields that several calls share are described at the first of them.

Guides: [an \`authenticate\` of your own](../guides/own-authenticate.md) · [a CA in a page](../guides/ca-in-a-page.md) · [coming from Vault PKI](../guides/coming-from-vault-pki.md) · [deploying](../deploy.md)

## Statuses

Each call lists the statuses of its own; [every error has a code](errors.md). Any call may also return:

- 400: the request cannot be parsed, or a value does not fit its field
- 401 in the variables API, 403 elsewhere: the token is missing, invalid or has no access
- 404: the path does not exist
- 405: the path has no such method
- 413: the body is too large
- 415: the body has another media type
- 429 with \`Retry-After\`: a rate limit is exceeded
- 431: the token is too long
- 500: a defect of the server
- 503 with \`Retry-After\`: the storage is unavailable or the server is busy

${list.join("\n")}`;
}

function pageOf(page: Page, examples: ReadonlyMap<string, ShownRequest>, rowsOf: RowsOf): string {
  const tables = new Map<string, string>();
  const calls = page.endpoints.map(({ endpoint, group }) => {
    const place = { id: endpoint.id, page: fileOf(page.name) };
    const parameters = parametersIn(endpoint, group);
    const fields = Object.fromEntries(
      Object.entries(endpoint.body).filter(([name]) => !parameters.has(name)),
    );
    const { whole, reply, rest } = endpoint;
    const example = examples.get(endpoint.id);
    const returned = whole ? { "": whole } : reply;
    return [
      headOf(endpoint, group),
      tableFor(`${endpoint.id} takes`, rowsOf(fields, "sent", place), tables),
      rest ? "Further members are accepted unchanged." : "",
      tableFor(`${endpoint.id} returns`, rowsOf(returned, "replied", place), tables),
      example ? `    ${curlOf(endpoint, group, example)}` : "",
    ]
      .filter(Boolean)
      .join("\n\n")
      .concat("\n");
  });
  const links = page.endpoints.map(({ endpoint: { id } }) => `[${id}](#${id.toLowerCase()})`);
  return `${notice}# ${page.name}

${page.about} ([All pages](README.md))

${links.join(" · ")}

${calls.join("\n")}`;
}

/** Returns the heading of an endpoint, and its purpose, paths, required access and statuses. */
function headOf(endpoint: AnyEndpoint, group: Group): string {
  const routes = expandPatterns(endpoint).filter(([, path]) => !group.but?.has(path));
  const paths = (routes.length > 0 ? routes : expandPatterns(endpoint)).map(
    ([method, path]) => `\`${method} ${group.base}${path.replace(/\+/g, "")}\``,
  );
  const lines = [
    ...paths,
    [...parametersIn(endpoint, group).values()].join(" "),
    `${whoText(endpoint, group)} ${statusText(endpoint)}`,
  ];
  return `## ${endpoint.id}\n\n${endpoint.doc}\n\n${lines.filter(Boolean).join("  \n")}`;
}

/** Returns the descriptions of an endpoint's path parameters, by name. */
function parametersIn(endpoint: AnyEndpoint, { base }: Group): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [, path] of expandPatterns(endpoint))
    for (const name of parameterNames(path)) {
      const words = about.allowedValues(base + path, name) ?? replyValues(endpoint, name);
      const choices = words ? ` (${words.map((word) => `\`${word}\``).join(", ")})` : "";
      const text = `\`${name}\`${choices}: ${about.parameter(base + path, name)}`;
      if (!texts.has(name)) texts.set(name, text);
    }
  return texts;
}

/**
 * Returns a table, or a sentence if there is a single row, or a link if the page already contains
 * the same table.
 */
function tableFor(what: string, rows: readonly string[], shown: Map<string, string>): string {
  if (rows.length === 0) return "";
  const key = rows.join("");
  const before = shown.get(key);
  const [id = "", verb = ""] = what.split(" ");
  if (before !== undefined && rows.length > 2) {
    const [other = ""] = before.split(" ");
    return other === id
      ? `${verb === "takes" ? "Takes" : "Returns"} the same members.`
      : `${verb === "takes" ? "Takes" : "Returns"} the members that [${before}](#${other.toLowerCase()}).`;
  }
  shown.set(key, what);
  const [only = ""] = rows;
  if (rows.length === 1) return `${verb === "takes" ? "Takes" : "Returns"} ${sentenceOf(only)}`;
  return tableOf(verb === "takes" ? "request" : "reply", rows);
}

function whoText({ access, id }: AnyEndpoint, { credentials }: Group): string {
  const needs =
    access === "sudo"
      ? "Needs the capability `sudo`."
      : access === "known"
        ? "Needs any valid token."
        : credentials.includes("variables")
          ? "Needs a token of the variables API."
          : "Needs a token with access.";
  if (access !== "open") return needs;
  const alternatives = about.credentials(id) ?? [];
  return alternatives.some((way) => way.includes("basic"))
    ? "Needs HTTP Basic authentication or a TLS client certificate."
    : alternatives.some((way) => way.includes("mutualTls"))
      ? "Needs a TLS client certificate."
      : "Needs no token.";
}

function statusText(endpoint: AnyEndpoint): string {
  const { refuses = [], status, reply, whole, style, id } = endpoint;
  const reads = endpoint.at.every((at) => /^(?:GET|LIST) /.test(at));
  const isEmpty = !whole && Object.keys(reply).length === 0;
  const media = about.media(id) ?? (style.answers === undefined ? undefined : [style.answers]);
  const success = media
    ? `200 with ${media.map((type) => `\`${type}\``).join(" or ")}`
    : isEmpty && style.name !== "raw"
      ? status === 202
        ? "202"
        : style.name === "envelope" && !reads
          ? "204, or 200 with warnings"
          : "204"
      : String(status ?? 200);
  const codes = new Map<number, string[]>();
  for (const code of refuses) {
    const at = statusOfRefusal(code, reads);
    codes.set(at, [...(codes.get(at) ?? []), `\`${code}\``]);
  }
  const refused = [...codes]
    .sort(([a], [b]) => a - b)
    .map(([at, why]) => `${at} (${why.join(", ")})`);
  return `Returns ${[success, ...refused].join("; ")}.`;
}
