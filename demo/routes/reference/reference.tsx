import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Filter } from "../../ui/field.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Card, Empty, Head, Ready } from "../../ui/page.tsx";
import { Columns } from "../../ui/table.tsx";
import { type ApiCall, callsOf, matchingCalls } from "../../api/openapi-calls.ts";
import { type Operation, description } from "../../api/openapi.ts";
import { visibleMounts } from "../../api/visible-mounts.ts";
import { visible } from "../../lib/visible-text.ts";
import { place, signedOut } from "../../lib/place.ts";
import { lazy } from "../../ui/lazy.tsx";
import type { SendCallProps } from "./send-call.tsx";
import { isSendable } from "./schemas.ts";
import { refine, route } from "../../lib/route.ts";
import {
  type Member,
  type NamedSchemas,
  envelope,
  membersOf,
  placeholder,
  typeOf,
} from "./schemas.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { queryWords } from "../../lib/word-match.ts";
import { curl, tokenHeader } from "../../ui/same-request.tsx";

// loaded lazily, because most readers never send a request
const SendCall = lazy<SendCallProps>(async () => (await import("./send-call.tsx")).SendCall);

/**
 * The view of all endpoints with their fields and errors, from the server's OpenAPI description.
 */
export function Reference(): JSX.Element {
  const { mount } = useStore(place, (value) => value);
  const words = useStore(route, (value) => value.query.get("q") ?? "");
  const result = useLoad(description, []);
  return (
    <>
      <Head
        title="API reference"
        about={
          <>
            Generated from this server’s endpoints. Any call can also fail with 400, 403, 405, 429
            or 503. <MountNote mount={mount} />
          </>
        }
      />
      <Ready from={result}>
        {({ paths, components }) => {
          const all = callsOf(paths, mount);
          const named = components?.schemas ?? {};
          const around = membersOf(named[envelope] ?? {}, named);
          const shown = matchingCalls(all, queryWords(words));
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
                <Empty text="No call matches all of these words.">
                  <Button press={() => refine({})}>Clear the filter</Button>
                </Empty>
              ) : (
                <ul class="calls">
                  {shown.map((row) => (
                    <li key={row.verb + row.path}>
                      <Call row={row} all={all} named={named} />
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

/**
 * A note that says which mount the paths belong to and how many other mounts have the same calls.
 */
function MountNote({ mount }: { mount: string }): JSX.Element {
  const where = useStore(place, (value) => value);
  // an older server does not list its mounts
  const mounts = useLoad(
    async () => (signedOut(where) ? [] : visibleMounts().catch((): readonly string[] => [])),
    [where],
  );
  const others = (mounts.value ?? []).filter((one) => one !== mount).length;
  return (
    <>
      These paths are for the mount <code class="break">{visible(mount)}</code>
      {others > 0 && `; ${others} other mount${others === 1 ? " has" : "s have"} the same calls`}.
    </>
  );
}

/** Returns the documentation of a call, with a curl command. */
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
  const required = queries
    .filter(({ name, required }) => required || name === "list")
    .map(({ name, schema }) => `${name}=${placeholder(schema)}`);
  const members = membersOf(sent?.schema ?? {}, named);
  // a nested member is required only if its parent is sent
  const example = members
    .filter(({ name, required }) => required && !/[.[]/.test(name))
    .map(({ name, schema }) => [name, placeholder(schema)] as const);
  const open = !security?.length || security.some((scheme) => Object.keys(scheme).length === 0);
  // use the example in the description, else the required members, else no body
  const body =
    sent && (sent.example ?? (example.length > 0 ? Object.fromEntries(example) : undefined));
  const headers = [
    ...(open ? [] : [tokenHeader]),
    ...(media === undefined || media === "application/json" ? [] : [`Content-Type: ${media}`]),
  ];
  const address = path + (required.length > 0 ? `?${required.join("&")}` : "");
  return {
    members,
    example: body,
    fields: [...queried, ...members],
    queried: queried.length > 0,
    reply: membersOf(responses["200"]?.content?.["application/json"]?.schema ?? {}, named).filter(
      ({ schema }) => schema.type !== "null",
    ),
    // omit the errors that all calls have in common, because they are documented once
    answers: Object.entries(responses).filter(([, { $ref }]) => $ref === undefined),
    open,
    text: curl(verb === "LIST" ? "GET" : verb, address, headers, body),
  };
}

function Call({
  row,
  all,
  named,
}: {
  row: ApiCall;
  all: readonly ApiCall[];
  named: NamedSchemas;
}): JSX.Element {
  const { verb, path, operation } = row;
  const [sends, setSends] = useState(false);
  const isRequested = useStore(route, (value) => value.id) === operation.operationId;
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    // Scroll only after the title has taken the focus, because focusing the title scrolls to the
    // top.
    if (isRequested) requestAnimationFrame(() => element.current?.scrollIntoView());
  }, [isRequested]);
  const { members, example, fields, queried, reply, answers, open, text } = documentationOf(
    verb,
    path,
    operation,
    named,
  );
  const where = useStore(place, (value) => value);
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
        {(open || !signedOut(where)) && isSendable(row) && (
          <details onToggle={(event) => setSends(event.currentTarget.open)}>
            <summary>Send from here</summary>
            {sends && <SendCall {...{ call: row, all, members, example, named }} />}
          </details>
        )}
        <Answers of={answers.filter(([status]) => Number(status) < 400)} before="Success" />
        {reply.length > 0 && (
          <details>
            <summary>Response</summary>
            <Members of={reply} named={named} label="Response" title="Member" />
          </details>
        )}
      </div>
    </details>
  );
}

/** Text in which API names are marked by backticks. */
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
  /**
   * Whether these are the members of a request, so that the table marks required members and shows
   * defaults.
   */
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
