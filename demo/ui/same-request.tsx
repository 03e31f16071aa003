import type { JSX } from "preact";
import { useStore } from "../lib/store.ts";
import { place } from "../lib/place.ts";
import { Card } from "./page.tsx";
import { CopyButton } from "./button.tsx";
import { Code } from "./code.tsx";
import { visibleJson } from "../lib/format.ts";

/** The header that sends a token from a shell variable. */
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
    // some shells would expand an unquoted question mark to file names
    `curl ${verb === "GET" || (body && verb === "POST") ? "" : `-X ${verb} `}${path.includes("?") ? `"${address}"` : address}`,
    ...headers.map((header) => `  -H "${header}"`),
    ...(quoted ? [`  -d '${quoted}'`] : []),
  ].join(" \\\n");
}

/** The request that a form sends, as a curl command. */
export function SameRequest({ path, body }: { path: string; body: object }): JSX.Element {
  const where = useStore(place, (value) => value);
  const text = curl("POST", `/v1/${where.mount}/${path}`, [tokenHeader], body);
  return (
    <Card title="As an API request" end={<CopyButton text={text} label="Copy the curl command" />}>
      <div class="pad stack">
        <Code text={text} label="As a curl command" wrap copy={false} />
        {where.kind === "browser" && (
          <p class="small muted">
            Only this page can reach an authority in the browser. The command works with a server.
          </p>
        )}
      </div>
    </Card>
  );
}
