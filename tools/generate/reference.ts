import { statusOfRefusal } from "../../src/base/errors.ts";
import { about } from "../../src/sys/specs/about.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { areaOf, type Group } from "../../src/wire/openapi.ts";
import { parameterNames, expandPatterns } from "../../src/wire/route-patterns.ts";
import { curlOf } from "./curl.ts";
import { shownExamples, type Shown } from "./examples.ts";
import { allGroups } from "./openapi.ts";
import type { Files } from "./product.ts";
import { cell, fieldRows, tableOf } from "./rows.ts";

const notice = "<!-- Made by `npm run generate`; what is changed here is lost. -->\n";
const folder = "docs/reference";

/** What one page is about. */
interface Page {
  readonly name: string;
  readonly about: string;
  readonly part: string;
  readonly endpoints: { readonly endpoint: AnyEndpoint; readonly group: Group }[];
}
const fileOf = (name: string): string => `${name.toLowerCase().replace(/\W+/g, "-")}.md`;
/** The parts of the index, by what their paths begin with. */
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

/** The reference: a page for each area, and an index of all of them. */
export async function referenceFiles(): Promise<Files> {
  const examples = await shownExamples();
  const pages = pagesOf(await allGroups());
  return {
    [`${folder}/README.md`]: indexOf(pages),
    ...Object.fromEntries(
      pages.map((page) => [`${folder}/${fileOf(page.name)}`, pageOf(page, examples)]),
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

For programs: [openapi.json](../openapi.json), which a server gives at \`GET /v1/sys/internal/specs/openapi\` too, without a token; with one, for the mounts that it has. Names such as \`issue\` are those of the typed client and of operations there. \`:name\` in a path stands for a value.

Guides: [an \`authenticate\` of your own](../guides/own-authenticate.md) · [a CA in a page](../guides/ca-in-a-page.md) · [coming from Vault PKI](../guides/coming-from-vault-pki.md) · [deploying](../deploy.md)

**Statuses.** Beside what is said of each call: 400 what cannot be read, or does not fit its field; 403 (401 for variables) without a valid token that may do it; 404 for a path that leads nowhere; 405 for a method that a path has not; 413 for a body that is too large; 415 for one of another media type; 429 above a rate limit, with \`Retry-After\`; 431 for a token that is too long; 500 for a defect; 503 while the storage cannot be reached or the server is busy, with \`Retry-After\`.

${list.join("\n")}`;
}

function pageOf(page: Page, examples: ReadonlyMap<string, Shown>): string {
  const told = new Map<string, string>();
  const calls = page.endpoints.map(({ endpoint, group }) =>
    callText(endpoint, group, told, examples.get(endpoint.id)),
  );
  const links = page.endpoints.map(
    ({ endpoint: { id, doc } }) => `| [${id}](#${id.toLowerCase()}) | ${cell(doc)} |\n`,
  );
  return `${notice}# ${page.name}

${page.about} ([All pages](README.md))

| call | what it does |
| --- | --- |
${links.join("")}
${calls.join("\n")}`;
}

function callText(
  endpoint: AnyEndpoint,
  group: Group,
  told: Map<string, string>,
  example: Shown | undefined,
): string {
  const { id, doc, body, reply, whole, rest } = endpoint;
  const ways = expandPatterns(endpoint).filter(([, path]) => !group.but?.has(path));
  const spelled = ways.length > 0 ? ways : expandPatterns(endpoint);
  const paths = spelled.map(
    ([method, path]) => `${method} ${group.base}${path.replace(/\+/g, "")}`,
  );
  const sent = [...parameterRows(endpoint, group), ...fieldRows(body, true)];
  const answered = whole ? fieldRows({ "": whole }, false) : fieldRows(reply, false);
  return [
    `## ${id}`,
    doc,
    paths.map((path) => `\`${path}\``).join("  \n"),
    whoText(endpoint, group),
    tableFor(`${id} takes`, sent, told),
    rest ? "Further members are taken as they are." : "",
    statusText(endpoint),
    tableFor(`${id} replies`, answered, told),
    example ? `\`\`\`sh\n${curlOf(endpoint, group, example)}\n\`\`\`` : "",
  ]
    .filter(Boolean)
    .join("\n\n")
    .concat("\n");
}

const parameterRows = (endpoint: AnyEndpoint, { base }: Group): readonly string[] => {
  const seen = new Set<string>();
  return expandPatterns(endpoint).flatMap(([, path]) =>
    parameterNames(path).flatMap((name) => {
      if (seen.has(name)) return [];
      seen.add(name);
      const words = about.words(base + path, name);
      const type = words ? words.map((word) => `\`${word}\``).join(", ") : "string";
      return [
        `| \`${name}\` | ${type}, in the path | | ${cell(about.parameter(base + path, name))} |\n`,
      ];
    }),
  );
};

/** A table, or a link to one of the page that is the same. */
function tableFor(what: string, rows: readonly string[], told: Map<string, string>): string {
  if (rows.length === 0) return "";
  const key = rows.join("");
  const before = told.get(key);
  const [id = "", verb = ""] = what.split(" ");
  if (before !== undefined && rows.length > 4) {
    const [other = ""] = before.split(" ");
    return other === id
      ? `${verb === "takes" ? "Takes" : "Replies"} the same members.`
      : `${verb === "takes" ? "Takes" : "Replies"} the members that [${before}](#${other.toLowerCase()}).`;
  }
  told.set(key, what);
  return tableOf(verb === "takes" ? "member" : "reply", rows);
}

function whoText({ access, id }: AnyEndpoint, { credentials }: Group): string {
  const needs =
    access === "sudo"
      ? "A token with the capability `sudo` too."
      : access === "known"
        ? "Any valid token."
        : credentials.includes("variables")
          ? "A token of the variables API."
          : "A token that may do it.";
  if (access !== "open") return needs;
  const ways = about.credentials(id) ?? [];
  return ways.some((way) => way.includes("basic"))
    ? "HTTP Basic, or a TLS client certificate."
    : ways.some((way) => way.includes("mutualTls"))
      ? "A TLS client certificate."
      : "No token.";
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
  return `**Answers** ${[success, ...refused].join("; ")}.`;
}
