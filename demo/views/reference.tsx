import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { Filter } from "../parts/field.tsx";
import { Badge } from "../parts/icon.tsx";
import { Card, Empty, Head, Ready } from "../parts/page.tsx";
import { Columns } from "../parts/table.tsx";
import { operations, type Operation, type Paths, type Schema } from "../pki.ts";
import { place } from "../place.ts";
import { refine, route } from "../route.ts";
import { useLoad, useStore } from "../store.ts";
import { plain } from "../words.ts";
import { SameRequest } from "./samerequest.tsx";

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
      const lists = operation.parameters?.some(({ name, in: where }) => where === "query" && name === "list") === true;
      return {
        verb: lists ? "LIST" : verb.replace(/^x-/, "").toUpperCase(),
        path: path.replace("/v1/pki/", `/v1/${mount}/`).replace(/\{(\w+)\}/g, ":$1"),
        operation,
      };
    }),
  );
  return rows.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : order.indexOf(a.verb) - order.indexOf(b.verb)));
}

/** Every endpoint: fields, refusals, the call. The authority tells them itself, from the table it answers with. */
export function Reference(): JSX.Element {
  const { mount } = useStore(place, (value) => value);
  const words = useStore(route, (value) => value.query.get("q") ?? "");
  const found = useLoad(operations, []);
  return (
    <>
      <Head title="API reference" about="Told by the authority itself, from the table it answers with, so it cannot be out of date." />
      <Ready from={found}>
        {(paths) => {
          const all = rowsOf(paths, mount);
          const shown = all.filter(({ verb, path, operation }) =>
            `${verb} ${path} ${operation.summary ?? ""}`.toLowerCase().includes(words.trim().toLowerCase()),
          );
          return (
            <Card title={`${all.length} calls`} footer={<span role="status">{shown.length} shown</span>}>
              <div class="filters">
                <Filter label="Filter by path or words" value={words} change={(q) => refine({ q })} />
              </div>
              {shown.length === 0 ? (
                <Empty text="No call matches.">
                  <Button press={() => refine({})}>Clear the filter</Button>
                </Empty>
              ) : (
                <ul class="calls">
                  {shown.map((row) => (
                    <li key={row.verb + row.path}>
                      <Call row={row} />
                    </li>
                  ))}
                </ul>
              )}
            </Card>
          );
        }}
      </Ready>
    </>
  );
}

function Call({ row: { verb, path, operation } }: { row: Row }): JSX.Element {
  const asked = useStore(route, (value) => value.id) === operation.operationId;
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    // After the title, which takes the view to its top.
    if (asked) requestAnimationFrame(() => element.current?.scrollIntoView());
  }, [asked]);
  const schema: Schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema ?? {};
  const fields = Object.entries(schema.properties ?? {});
  const refusals = Object.entries(operation.responses ?? {}).filter(([status]) => Number(status) >= 400);
  const example = Object.fromEntries((schema.required ?? []).map((name) => [name, "…"]));
  return (
    <details open={asked} ref={element}>
      <summary>
        <span class={`verb ${verb.toLowerCase()}`}>{verb}</span> <code class="break">{path}</code> <span class="muted break">{operation.summary}</span>
        {!operation.security && (
          <>
            {" "}
            <Badge>no token</Badge>
          </>
        )}
      </summary>
      <div class="stack close">
        {fields.length > 0 && <Fields schema={schema} />}
        {refusals.length > 0 && <p class="small muted">Refuses: {refusals.map(([status, { description }]) => `${status} ${description ?? ""}`).join("; ")}</p>}
        <SameRequest path={path.replace(/^\/v1\/[^/]+\//, "")} {...(verb === "POST" || verb === "PATCH" ? { body: example } : {})} verb={verb} bare />
      </div>
    </details>
  );
}

function Fields({ schema }: { schema: Schema }): JSX.Element {
  return (
    <table class="table cards fields" aria-label="Fields">
      <Columns of={["Field", "Type", "Meaning"]} />
      <tbody>
        {Object.entries(schema.properties ?? {}).map(([name, { type, description, default: standard, enum: values }]) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
              {schema.required?.includes(name) && (
                <>
                  {" "}
                  <Badge>required</Badge>
                </>
              )}
            </td>
            <td class="small">{values ? values.map(String).join(", ") : Array.isArray(type) ? type.join(" or ") : plain(type, "any")}</td>
            <td class="full small">
              {description}
              {standard !== undefined && (
                <span class="quiet">
                  {" "}
                  Default: <code>{JSON.stringify(standard)}</code>
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
