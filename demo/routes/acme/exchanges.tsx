import type { JSX } from "preact";
import type { Exchange } from "./client.ts";
import { Code } from "../../ui/code.tsx";
import { Badge, Icon } from "../../ui/icon.tsx";
import { Card } from "../../ui/page.tsx";
import { visible, visibleJson } from "../../lib/visible-text.ts";

const pretty = (value: unknown): string => visibleJson(JSON.stringify(value, null, 2));

/** Returns the part of a URL's path after `/acme/`, or the whole path. */
const tail = (url: string): string => new URL(url).pathname.split("/acme/").at(-1) ?? url;

/** A collapsible list of requests and responses. */
export function Exchanges({ all }: { all: readonly Exchange[] }): JSX.Element {
  return (
    <Card title="Requests and responses">
      <ol class="pad stack close" aria-label="Requests">
        {all.map((one, i) => (
          <li key={i}>
            <details>
              <summary>
                <Icon
                  name={one.status < 400 ? "check" : "x"}
                  tone={one.status < 400 ? "ok" : "danger"}
                />{" "}
                <code>
                  {one.verb} {visible(tail(one.url))}
                </code>{" "}
                <Badge>{String(one.status)}</Badge>
              </summary>
              <Whole of={one} />
            </details>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Whole({ of }: { of: Exchange }): JSX.Element {
  const { verb, url, header, payload, answered, body } = of;
  const headers = answered.map(([name, value]) => `${name}: ${visible(value)}`).join("\n");
  return (
    <div class="stack close">
      <Code text={`${verb} ${url}`} label="Request" wrap copy={false} />
      {header && <Code text={pretty(header)} label="Protected header" wrap copy={false} />}
      {header && (
        <Code
          text={payload ? pretty(payload) : '""  (empty: POST-as-GET)'}
          label="Payload"
          wrap
          copy={false}
        />
      )}
      {headers && <Code text={headers} label="Response headers" wrap copy={false} />}
      {body && <Code text={shownBody(body)} label="Response" wrap copy={false} />}
    </div>
  );
}

function shownBody(body: string): string {
  try {
    return pretty(JSON.parse(body));
  } catch {
    return body.split("\n").map(visible).join("\n");
  }
}
