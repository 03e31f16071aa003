import { afterAll, beforeAll, expect, it } from "vitest";
import { pki, sys } from "../../src/endpoints/all.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { plain } from "../../src/wire/style.ts";
import { startServer, type RunningServer } from "../support/server.ts";
import { apiOf, logLines, makeAuthority, noteEvents, type Api } from "../http/api.ts";
import { directoryWith, openssl } from "../http/openssl.ts";

/** Values that no field expects, or not in this form. */
const hostile: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  2 ** 53,
  "",
  "\u0000",
  "a\r\nb: c",
  "\ud800",
  "é\u202e",
  "-----BEGIN",
  "9".repeat(40),
  "*",
  "-5m",
  "x".repeat(70_000),
  [null],
  [[]],
  [1, true, {}],
  { __proto__: null, constructor: 1 },
];
const parameters: Readonly<Record<string, string>> = {
  role: "web",
  name: "odd",
  issuer_ref: "default",
  key_ref: "default",
  serial: "01:02",
  path: "odd",
};
const cheap = { key_type: "ec", common_name: "www.example.com", ttl: "1h" };

let server: RunningServer;
let api: Api;
let csr: string;
beforeAll(async () => {
  server = await startServer({ env: { LOG: "json" } });
  api = apiOf(server);
  await makeAuthority(api);
  csr = openssl(
    directoryWith(),
    "req",
    "-new",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    "key.pem",
    "-subj",
    "/CN=www.example.com",
  ).output.replace(/^[^]*?(?=-----BEGIN CERT)/, "");
});
afterAll(() => server.stop());
noteEvents(() => server);

/** Every field of an endpoint with every hostile value, the other fields as they should be. */
function requestsOf(
  endpoint: AnyEndpoint,
  base: string,
): readonly (readonly [method: string, path: string, body: Record<string, unknown>])[] {
  const [spelling = ""] = endpoint.at;
  const [method = "", path = ""] = spelling.split(" ");
  const url = base + path.replace(/:(\w+)\+?/g, (_, name: string) => parameters[name] ?? "odd");
  const valid = Object.fromEntries(
    Object.entries({ ...cheap, csr }).filter(([name]) => Object.hasOwn(endpoint.body, name)),
  );
  return Object.keys(endpoint.body).flatMap((field) =>
    hostile.map((value) => [method, url, { ...valid, [field]: value }] as const),
  );
}

/**
 * Sends all, some at a time, and tells what was answered like a defect. `bare`: without an
 * envelope.
 */
async function send(
  requests: ReturnType<typeof requestsOf>,
  bare = false,
): Promise<readonly string[]> {
  const waiting = [...requests];
  const defects: string[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [method, path, body] = next;
      const answer = await api(method, path, body);
      const { status, json } = answer;
      const fits =
        status === 204 ||
        (status === 200 || status === 202
          ? bare || json["data"] !== undefined
          : Array.isArray(json["errors"]) && status < 500);
      if (!fits)
        defects.push(
          `${method} ${path} ${JSON.stringify(body).slice(0, 200)}: ${answer.status} ${answer.text.slice(0, 200)}`,
        );
    }
  };
  await Promise.all(Array.from({ length: 3 }, work));
  return defects;
}

/**
 * Those that write; the ones that also export a key have the fields of those that do not. A body
 * that is no document has no fields.
 */
const writing = (endpoints: readonly AnyEndpoint[]) =>
  endpoints
    .filter(
      ({ id, at, style }) =>
        at[0]?.startsWith("POST") && !id.startsWith("generateExported") && !style.whole,
    )
    .map((endpoint) => [endpoint.id, endpoint] as const);

it.each(writing(pki))(
  "no value of any field is answered with a defect by %s",
  async (id, endpoint) => {
    const count = requestsOf(endpoint, "").length;
    // a mount with hundreds of issuers is slow, and nothing to learn from
    for (let from = 0; from < count; from += 75) {
      const mount = `${id}-${from}`;
      expect(
        (
          await api("POST", `sys/mounts/${mount}`, {
            type: "pki",
            config: { max_lease_ttl: "87600h" },
          })
        ).status,
      ).toBe(204);
      await makeAuthority(api, mount);
      expect(await send(requestsOf(endpoint, mount).slice(from, from + 75))).toEqual([]);
    }
    expect(logLines(server.output()).filter(({ status }) => status >= 500)).toEqual([]);
  },
);
it.each(writing(sys))(
  "no value of any field is answered with a defect by %s",
  async (_, endpoint) => {
    expect(await send(requestsOf(endpoint, "sys"), endpoint.style === plain)).toEqual([]);
    expect(logLines(server.output()).filter(({ status }) => status >= 500)).toEqual([]);
  },
);
