import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { requestOf, service, type Service } from "./service.ts";

interface Recorded {
  readonly client: string;
  readonly method: string;
  readonly target: string;
  readonly status: number;
  readonly type: string | undefined;
  readonly token: string | undefined;
  /** Name for the ID in the response, for use in later requests. */
  readonly id: string | undefined;
  readonly body: string | undefined;
}
const line = /^(\w+) (\S+) (\d{3})(?: type=(\S+))?(?: token=(\S+))?(?: id=(\S+))?(?: (.*))?$/;
const services = readFileSync(new URL("client-requests.txt", import.meta.url), "utf8")
  .split(/^(?=== (?:strict|lenient)$)/m)
  .slice(1)
  .map((text) => ({ strict: text.startsWith("== strict"), requests: recordedIn(text) }));
function recordedIn(text: string): readonly Recorded[] {
  let client = "";
  return text.split("\n").flatMap((each) => {
    if (each.startsWith("=== ")) client = each.slice(4);
    const match = each.startsWith("=") ? undefined : line.exec(each);
    if (!match) return [];
    const [, method = "", target = "", status, type, token, id, body] = match;
    return [{ client, method, target, status: Number(status), type, token, id, body }];
  });
}

it.each(
  services.map(({ strict, requests }, i) => [i + 1, requests.length, strict, requests] as const),
)(
  "recording %i of real clients, with %i requests, gets the recorded statuses (strict: %s)",
  async (_, count, strict, requests) => {
    expect(count).toBeGreaterThan(0);
    const made = service({ strict });
    const ids = new Map<string, string>();
    for (const request of requests) await replay(made, request, ids);
  },
);

async function replay(
  { send }: Service,
  { client, method, target, status, type, token, id, body }: Recorded,
  ids: Map<string, string>,
): Promise<void> {
  const filled = (text: string) =>
    text.replace(/\{(\w+\d+)\}/g, (_, name: string) => ids.get(name) ?? `unknown-${name}`);
  const path = filled(target).replace(/^\/api\/v2/, "");
  const sent = {
    ...(token === undefined ? {} : { token: token === "none" ? "" : token }),
    headers: type === undefined ? {} : { "content-type": type },
  };
  const answer = await send(
    requestOf(method, path, body === undefined ? undefined : filled(body), sent),
  );
  expect(answer.status, `${client}: ${method} ${target}\n${answer.text}`).toBe(status);
  if (id !== undefined) ids.set(id, String(answer.data["id"]));
  if (status >= 400)
    expect(answer.json["errors"], `${client}: ${method} ${target}`).toBeInstanceOf(Array);
  if (status === 200 || status === 201) expect(answer.text).not.toBe("");
}
