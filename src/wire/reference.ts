import { refusals } from "../base/errors.ts";
import type { AnyEndpoint } from "./endpoint.ts";
import type { Shape } from "./field.ts";
import type { Group } from "./openapi.ts";
import { parametersOf, spellings } from "./spelling.ts";

/** A field as a reader of the reference sees it. */
export interface ReferenceField {
  readonly name: string;
  /** `string`, `integer`, `list of string`, `list of string or null`… */
  readonly type: string;
  readonly required: boolean;
  readonly doc: string;
  /** The default as JSON; absent when there is none. */
  readonly standard?: string;
}
/** One endpoint as plain data. */
export interface ReferenceEntry {
  readonly id: string;
  readonly doc: string;
  readonly access: "token" | "sudo" | "open";
  /** Every spelling, below the group's base. */
  readonly calls: readonly { readonly method: string; readonly path: string }[];
  readonly parameters: readonly string[];
  readonly fields: readonly ReferenceField[];
  readonly reply: readonly ReferenceField[];
  /** Further members of the body are taken as they are. */
  readonly rest: boolean;
  /** Answers bytes instead of JSON. */
  readonly raw: boolean;
  readonly refusals: readonly { readonly code: string; readonly status: number }[];
}
/** The endpoints of one group. */
export interface ReferenceGroup {
  readonly tag: string;
  readonly base: string;
  readonly entries: readonly ReferenceEntry[];
}

/** The reference of the API as plain data, in the order of the tables. */
export const referenceData = (groups: readonly Group[]): readonly ReferenceGroup[] =>
  groups.map(({ tag, base, endpoints }) => ({ tag, base, entries: endpoints.map((endpoint) => entryOf(endpoint, base)) }));

function entryOf(endpoint: AnyEndpoint, base: string): ReferenceEntry {
  const spelled = spellings(endpoint);
  return {
    id: endpoint.id,
    doc: endpoint.doc,
    access: endpoint.access,
    calls: spelled.map(([method, path]) => ({ method, path: base + path.replaceAll("+", "") })),
    parameters: [...new Set(spelled.flatMap(([, path]) => parametersOf(path)))],
    fields: fieldsOf(endpoint.body),
    reply: fieldsOf(endpoint.reply),
    rest: endpoint.rest ?? false,
    raw: endpoint.style.name === "raw",
    refusals: (endpoint.refuses ?? []).map((code) => ({ code, status: refusals[code][0] })),
  };
}

const fieldsOf = (shape: Shape): readonly ReferenceField[] =>
  Object.entries(shape).map(([name, { json, required }]) => ({
    name,
    type: typeOf(json),
    required,
    doc: typeof json["description"] === "string" ? json["description"] : "",
    ...("default" in json ? { standard: JSON.stringify(json["default"]) } : {}),
  }));

function typeOf({ type, items }: Readonly<Record<string, unknown>>): string {
  const item = typeof items === "object" && items !== null ? typeOf({ ...items }) : "any";
  const names = (Array.isArray(type) ? type : [type ?? "any"]).map((name: unknown) => (name === "array" ? `list of ${item}` : String(name)));
  return names.join(" or ");
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (c) => escapes[c] ?? "");
/** Text of a doc comment: what stands between back quotes is code. */
const prose = (text: string): string => escaped(text).replace(/`([^`]*)`/g, "<code>$1</code>");
const accessText = { token: "Needs a token.", sudo: "Needs a token with the sudo capability.", open: "Needs no token." } as const;
const style =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:auto;padding:1rem}table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0}" +
  "code{overflow-wrap:anywhere}section section{border-top:1px solid;margin-top:1.5rem}caption{text-align:left;font-weight:600}";

/** The reference as one static HTML page without scripts; every text is escaped. */
export function referenceHtml(groups: readonly Group[]): string {
  const data = referenceData(groups);
  const contents = data.map(({ tag, entries }) => `<li><a href="#${anchor(tag)}">${escaped(tag)}</a> (${entries.length})</li>`).join("");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>API reference</title><style>${style}</style></head>
<body><header><h1>API reference</h1><nav aria-label="Groups"><ul>${contents}</ul></nav></header>
<main>${data.map(groupHtml).join("\n")}</main></body></html>
`;
}
const anchor = (...names: readonly string[]): string => escaped(names.map(encodeURIComponent).join("-"));

const groupHtml = ({ tag, base, entries }: ReferenceGroup): string =>
  `<section id="${anchor(tag)}" aria-labelledby="${anchor(tag)}-head"><h2 id="${anchor(tag)}-head">${escaped(tag)}: <code>${escaped(base)}</code></h2>
${entries.map((entry) => entryHtml(tag, entry)).join("\n")}</section>`;

function entryHtml(tag: string, entry: ReferenceEntry): string {
  const id = anchor(tag, entry.id);
  const calls = entry.calls.map(({ method, path }) => `<li><code>${escaped(`${method} ${path}`)}</code></li>`).join("");
  const refused = entry.refusals.map(({ code, status }) => `${status} <code>${escaped(code)}</code>`).join(", ");
  return `<section id="${id}" aria-labelledby="${id}-head"><h3 id="${id}-head">${escaped(entry.id)}</h3>
<p>${prose(entry.doc)} ${accessText[entry.access]}</p><ul>${calls}</ul>
${fieldsHtml("Fields", entry.fields)}${entry.rest ? "<p>Further members are taken as they are.</p>" : ""}${fieldsHtml("Reply", entry.reply)}${entry.raw ? "<p>Answers bytes.</p>" : ""}${
    refused ? `<p>Refuses: ${refused}.</p>` : ""
  }</section>`;
}

function fieldsHtml(caption: string, fields: readonly ReferenceField[]): string {
  if (fields.length === 0) return "";
  const rows = fields.map(
    ({ name, type, required, doc, standard }) =>
      `<tr><th scope="row"><code>${escaped(name)}</code></th><td>${escaped(type)}${required ? ", required" : ""}</td><td>${prose(doc)}${
        standard === undefined ? "" : ` Default: <code>${escaped(standard)}</code>`
      }</td></tr>`,
  );
  return `<table><caption>${caption}</caption><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}
