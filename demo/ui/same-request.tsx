import type { JSX } from "preact";
import { useStore } from "../lib/store.ts";
import { place } from "../lib/place.ts";
import { Card } from "./page.tsx";
import { CopyButton } from "./button.tsx";
import { Code } from "./code.tsx";
import { visibleJson } from "../lib/visible-text.ts";

/** The header with a token from a shell variable. */
export const tokenHeader = "X-Service-Token: $TOKEN";

/** Returns an API call as a curl command. */
export function curl(
  verb: string,
  path: string,
  headers: readonly string[],
  body: object | undefined,
): string {
  const { kind, base } = place.get();
  const quoted = body && visibleJson(JSON.stringify(body, null, 2)).replaceAll("'", "'\\''");
  const address = `${kind === "browser" ? "$SEALWRIGHT" : base}${path}`;
  return [
    // without quotes, some shells would expand the question mark to file names
    `curl ${verb === "GET" || (body && verb === "POST") ? "" : `-X ${verb} `}${path.includes("?") ? `"${address}"` : address}`,
    ...headers.map((header) => `  -H "${header}"`),
    ...(quoted ? [`  -d '${quoted}'`] : []),
  ].join(" \\\n");
}

/** The curl command for the request that a form sends. */
export function SameRequest({ path, body }: { path: string; body: object }): JSX.Element {
  const where = useStore(place, (value) => value);
  const text = curl("POST", `/v1/${where.mount}/${path}`, [tokenHeader], body);
  return (
    <Card title="As an API request" end={<CopyButton text={text} label="Copy the curl command" />}>
      <div class="pad stack">
        <Code text={text} label="As a curl command" wrap copy={false} />
        {where.kind === "browser" && (
          <p class="small muted">
            An authority in this browser can be reached only from this page. Use the command with an
            authority on a server.
          </p>
        )}
      </div>
    </Card>
  );
}
