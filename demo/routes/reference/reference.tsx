import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Filter } from "../../ui/field.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Card, Empty, Head, Ready } from "../../ui/page.tsx";
import { Columns } from "../../ui/table.tsx";
import { type Operation, type Paths, description } from "../../api/openapi.ts";
import { place } from "../../lib/place.ts";
import { refine, route } from "../../lib/route.ts";
import {
  type Member,
  type NamedSchemas,
  envelope,
  membersOf,
  placeholder,
  typeOf,
} from "./schemas.ts";
import { useLoad, useStore } from "../../lib/store.ts";
import { curl, tokenHeader } from "../../ui/same-request.tsx";

interface Row {
  readonly verb: string;
  readonly path: string;
  readonly operation: Operation;
}

const order = ["GET", "LIST", "POST", "PATCH", "PUT", "DELETE"];

/** Returns a row for each method and path. */
function rowsOf(paths: Paths, mount: string): readonly Row[] {
  // the variables API has tokens of its own
  const own = Object.entries(paths).filter(([path]) => path.startsWith("/v1/"));
  const rows = own.flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]): Row => {
      const lists =
        operation.parameters?.some(
          ({ name, in: where }) => where === "query" && name === "list",
        ) === true;
      return {
        verb: lists ? "LIST" : verb.replace(/^x-/, "").toUpperCase(),
        path: path.replace("/v1/pki/", `/v1/${mount}/`).replace(/\{(\w+)\}/g, ":$1"),
        operation,
      };
    }),
  );
  return rows.sort((a, b) =>
    a.path < b.path ? -1 : a.path > b.path ? 1 : order.indexOf(a.verb) - order.indexOf(b.verb),
  );
}

/**
 * Ranks how well a call matches a text, 0 best: by name, a part of the path, the path, or
 * description.
 */
function fit({ verb, path, operation }: Row, text: string): number | undefined {
  const [line, name] = [`${verb} ${path}`.toLowerCase(), operation.operationId.toLowerCase()];
  if (name === text || line === text) return 0;
  const parts = path.toLowerCase().split("/");
  const at = parts.indexOf(text);
  // shorter paths first, then those that end with the text
  if (at >= 0) return 1 + (parts.length - at) / 100 + parts.length / 1000;
  if (line.includes(text) || name.includes(text)) return 2;
  return operation.summary?.toLowerCase().includes(text) === true ? 3 : undefined;
}
/** Returns the calls that match a text, best first; all of them, in order, for an empty one. */
function matching(all: readonly Row[], text: string): readonly Row[] {
  if (text === "") return all;
  return all
    .flatMap((row) => {
      const fits = fit(row, text);
      return fits === undefined ? [] : [{ row, fits }];
    })
    .sort((a, b) => a.fits - b.fits)
    .map(({ row }) => row);
}

/**
 * All endpoints with their fields and errors. The server describes them, from the table that it
 * routes by.
 */
export function Reference(): JSX.Element {
  const { mount } = useStore(place, (value) => value);
  const words = useStore(route, (value) => value.query.get("q") ?? "");
  const found = useLoad(description, []);
  return (
    <>
      <Head
        title="API reference"
        about="Generated from this server's endpoints. Any call can also fail with 400, 403, 405, 429 or 503."
      />
      <Ready from={found}>
        {({ paths, components }) => {
          const all = rowsOf(paths, mount);
          const named = components?.schemas ?? {};
          const around = membersOf(named[envelope] ?? {}, named);
          const shown = matching(all, words.trim().toLowerCase());
          return (
            <Card
              title={`${all.length} calls`}
              footer={<span role="status">{shown.length} shown</span>}
            >
              <div class="filters">
                <Filter
                  label="Filter by path or words"
                  value={words}
                  change={(q) => refine({ q })}
                />
              </div>
              {shown.length === 0 ? (
                <Empty text="No matching calls.">
                  <Button press={() => refine({})}>Clear the filter</Button>
                </Empty>
              ) : (
                <ul class="calls">
                  {shown.map((row) => (
                    <li key={row.verb + row.path}>
                      <Call row={row} named={named} />
                    </li>
                  ))}
                </ul>
              )}
              {around.length > 0 && (
                <details class="pad">
                  <summary>Response envelope</summary>
                  <Members of={around} named={named} label="Response envelope" title="Member" />
                </details>
              )}
            </Card>
          );
        }}
      </Ready>
    </>
  );
}

/** Returns the documentation of a call, and its shell command. */
function documentationOf(
  verb: string,
  path: string,
  { parameters = [], requestBody, responses = {}, security }: Operation,
  named: NamedSchemas,
) {
  const [media, sent] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const queries = parameters.filter((parameter) => parameter.in === "query");
  const queried = queries.flatMap(
    ({ name, required = false, schema = {}, description }): Member[] =>
      name === "list"
        ? []
        : [
            {
              name,
              required,
              schema: description === undefined ? schema : { ...schema, description },
            },
          ],
  );
  const demanded = queries
    .filter(({ name, required }) => required || name === "list")
    .map(({ name, schema }) => `${name}=${placeholder(schema)}`);
  const members = membersOf(sent?.schema ?? {}, named);
  // A nested member is required only if its parent is sent.
  const example = members
    .filter(({ name, required }) => required && !/[.[]/.test(name))
    .map(({ name, schema }) => [name, placeholder(schema)] as const);
  const open = !security?.length || security.some((way) => Object.keys(way).length === 0);
  // The example from the specification, if any; else the required members, or no body.
  const body =
    sent && (sent.example ?? (example.length > 0 ? Object.fromEntries(example) : undefined));
  const headers = [
    ...(open ? [] : [tokenHeader]),
    ...(media === undefined || media === "application/json" ? [] : [`Content-Type: ${media}`]),
  ];
  const address = path + (demanded.length > 0 ? `?${demanded.join("&")}` : "");
  return {
    fields: [...queried, ...members],
    queried: queried.length > 0,
    reply: membersOf(responses["200"]?.content?.["application/json"]?.schema ?? {}, named).filter(
      ({ schema }) => schema.type !== "null",
    ),
    // errors common to all calls are documented once
    answers: Object.entries(responses).filter(([, { $ref }]) => $ref === undefined),
    open,
    text: curl(verb === "LIST" ? "GET" : verb, address, headers, body),
  };
}

function Call({
  row: { verb, path, operation },
  named,
}: {
  row: Row;
  named: NamedSchemas;
}): JSX.Element {
  const isRequested = useStore(route, (value) => value.id) === operation.operationId;
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    // After the title, which scrolls the view to the top.
    if (isRequested) requestAnimationFrame(() => element.current?.scrollIntoView());
  }, [isRequested]);
  const { fields, queried, reply, answers, open, text } = documentationOf(
    verb,
    path,
    operation,
    named,
  );
  return (
    <details open={isRequested} ref={element}>
      <summary>
        <span class={`verb ${verb.toLowerCase()}`}>{verb}</span> <code class="break">{path}</code>{" "}
        <span class="muted break">
          <Words of={operation.summary} />
        </span>
        {open && (
          <>
            {" "}
            <Badge>no token</Badge>
          </>
        )}
      </summary>
      <div class="stack close">
        {fields.length > 0 && (
          <Members
            of={fields}
            named={named}
            label="Fields"
            title={queried ? "Query field" : "Field"}
            sent
          />
        )}
        <Answers of={answers.filter(([status]) => Number(status) >= 400)} before="Errors" />
        <Code text={text} label={`${verb} ${path} as a curl command`} wrap />
        <Answers of={answers.filter(([status]) => Number(status) < 400)} before="Success" />
        {reply.length > 0 && (
          <details>
            <summary>Reply</summary>
            <Members of={reply} named={named} label="Reply" title="Member" />
          </details>
        )}
      </div>
    </details>
  );
}

/** Text with API names in backticks. */
function Words({ of = "" }: { of?: string | undefined }): JSX.Element {
  return <>{of.split("`").map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>;
}

type ResponseDoc = readonly [status: string, { readonly description?: string }];

function Answers({
  of,
  before,
}: {
  of: readonly ResponseDoc[];
  before: string;
}): JSX.Element | null {
  if (of.length === 0) return null;
  return (
    <p class="small muted">
      {before}:{" "}
      {of
        .map(([status, { description = "" }]) => `${status} ${description.replace(/\.$/, "")}`)
        .join("; ")}
    </p>
  );
}

interface MembersProps {
  readonly of: readonly Member[];
  readonly named: NamedSchemas;
  readonly label: string;
  readonly title: string;
  /** True to show which members are required, and defaults. */
  readonly sent?: boolean;
}

function Members({ of, named, label, title, sent = false }: MembersProps): JSX.Element {
  return (
    <table class="table cards fields" aria-label={label}>
      <Columns of={[title, "Type", "Meaning"]} />
      <tbody>
        {of.map(({ name, required, schema }) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
              {sent && required && (
                <>
                  {" "}
                  <Badge>required</Badge>
                </>
              )}
            </td>
            <td class="small">{typeOf(schema, named)}</td>
            <td class="full small">
              <Words of={schema.description} />
              {sent && schema.default !== undefined && (
                <span class="quiet">
                  {" "}
                  Default: <code>{JSON.stringify(schema.default)}</code>
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
