import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { Code } from "../parts/code.tsx";
import { Filter } from "../parts/field.tsx";
import { Badge } from "../parts/icon.tsx";
import { Card, Empty, Head, Ready } from "../parts/page.tsx";
import { Columns } from "../parts/table.tsx";
import { type Operation, type Paths, description } from "../pki.ts";
import { place } from "../place.ts";
import { refine, route } from "../route.ts";
import { type Member, type Named, envelope, membersOf, placeholder, typeOf } from "../shapes.ts";
import { useLoad, useStore } from "../store.ts";
import { curl, tokenHeader } from "./samerequest.tsx";

interface Row {
  readonly verb: string;
  readonly path: string;
  readonly operation: Operation;
}

const order = ["GET", "LIST", "POST", "PATCH", "PUT", "DELETE"];

/** One row for each verb of each path, in the words of the API. */
function rowsOf(paths: Paths, mount: string): readonly Row[] {
  const rows = Object.entries(paths).flatMap(([path, verbs]) =>
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
 * Every endpoint: fields, refusals, the call. The authority tells them itself, from the table it
 * answers with.
 */
export function Reference(): JSX.Element {
  const { mount } = useStore(place, (value) => value);
  const words = useStore(route, (value) => value.query.get("q") ?? "");
  const found = useLoad(description, []);
  return (
    <>
      <Head title="API reference" about="Generated from this server's endpoints." />
      <Ready from={found}>
        {({ paths, components }) => {
          const all = rowsOf(paths, mount);
          const named = components?.schemas ?? {};
          const around = membersOf(named[envelope] ?? {}, named);
          const shown = all.filter(({ verb, path, operation }) =>
            `${verb} ${path} ${operation.summary ?? ""}`
              .toLowerCase()
              .includes(words.trim().toLowerCase()),
          );
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
                <Empty text="No call matches.">
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
                  <summary>Around each reply with data</summary>
                  <Members
                    of={around}
                    named={named}
                    label="Around each reply with data"
                    title="Member"
                  />
                </details>
              )}
            </Card>
          );
        }}
      </Ready>
    </>
  );
}

/** What the description says of one call, and the call for a shell. */
function told(
  verb: string,
  path: string,
  { parameters = [], requestBody, responses = {}, security }: Operation,
  named: Named,
) {
  const [media, sent] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const queries = parameters.filter((parameter) => parameter.in === "query");
  const queried = queries.flatMap(({ name, required = false, schema = {} }): Member[] =>
    name === "list" ? [] : [{ name, required, schema }],
  );
  const demanded = queries
    .filter(({ name, required }) => required || name === "list")
    .map(({ name, schema }) => `${name}=${placeholder(schema)}`);
  const members = membersOf(sent?.schema ?? {}, named);
  // What lies deeper is demanded only where what it lies in is sent.
  const example = members
    .filter(({ name, required }) => required && !/[.[]/.test(name))
    .map(({ name, schema }) => [name, placeholder(schema)] as const);
  const open = !security?.length;
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
    answers: Object.entries(responses),
    open,
    text: curl(
      verb === "LIST" ? "GET" : verb,
      address,
      headers,
      sent && Object.fromEntries(example),
    ),
  };
}

function Call({ row: { verb, path, operation }, named }: { row: Row; named: Named }): JSX.Element {
  const asked = useStore(route, (value) => value.id) === operation.operationId;
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    // After the title, which takes the view to its top.
    if (asked) requestAnimationFrame(() => element.current?.scrollIntoView());
  }, [asked]);
  const { fields, queried, reply, answers, open, text } = told(verb, path, operation, named);
  return (
    <details open={asked} ref={element}>
      <summary>
        <span class={`verb ${verb.toLowerCase()}`}>{verb}</span> <code class="break">{path}</code>{" "}
        <span class="muted break">{operation.summary}</span>
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
        <Answers of={answers.filter(([status]) => Number(status) >= 400)} before="Refuses" />
        <Code text={text} label={`${verb} ${path} as a curl call`} wrap />
        <Answers of={answers.filter(([status]) => Number(status) < 400)} before="Replies" />
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

type Answer = readonly [status: string, { readonly description?: string }];

function Answers({ of, before }: { of: readonly Answer[]; before: string }): JSX.Element | null {
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
  readonly named: Named;
  readonly label: string;
  readonly title: string;
  /** Tells which are required and what holds without them too. */
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
              {schema.description}
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
