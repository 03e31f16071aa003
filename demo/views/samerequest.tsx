import type { JSX } from "preact";
import { useStore } from "../store.ts";
import { place } from "../place.ts";
import { Card } from "../parts/page.tsx";
import { CopyButton } from "../parts/button.tsx";
import { Code } from "../parts/code.tsx";
import { visibleJson } from "../words.ts";

/** A call for a shell. */
export function curl(verb: string, path: string, headers: readonly string[], body: object | undefined): string {
  const { kind, base } = place.get();
  const quoted = body && visibleJson(JSON.stringify(body, null, 2)).replaceAll("'", "'\\''");
  return [
    `curl ${body && verb === "POST" ? "" : `-X ${verb} `}${kind === "browser" ? "$SEALWRIGHT" : base}${path}`,
    ...headers.map((header) => `  -H "${header}"`),
    ...(quoted ? [`  -d '${quoted}'`] : []),
  ].join(" \\\n");
}

/** The form as a call of the API, ready for a shell. */
export function SameRequest({ path, body, verb = "POST", bare = false }: { path: string; body?: object; verb?: string; bare?: boolean }): JSX.Element {
  const where = useStore(place, (value) => value);
  const text = curl(verb, `/v1/${where.mount}/${path}`, ["X-Service-Token: $TOKEN"], body);
  if (bare) return <Code text={text} label={`${verb} ${path} as a curl call`} wrap />;
  return (
    <Card title="The same as a request" end={<CopyButton text={text} label="Copy: the same as a curl call" />}>
      <div class="pad stack">
        <Code text={text} label="The same as a curl call" wrap copy={false} />
        {where.kind === "browser" && <p class="small muted">The authority in this browser answers this page only; the call is for a Worker.</p>}
      </div>
    </Card>
  );
}
