import { beforeAll, expect, it } from "vitest";
import { pki, sys } from "../../src/endpoints/all.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { plain } from "../../src/wire/style.ts";
import { authority, type Authority } from "../support/authority.ts";

/** Values that no field expects, at least not in this form. */
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

/** Creates an authority with the objects that the requests name: an issuer, its key and a role. */
async function withIssuer(): Promise<Authority> {
  const made = authority();
  await made.root();
  await made.role("web", { allowed_domains: ["example.com"], allow_subdomains: true });
  return made;
}

let csr: string;
beforeAll(async () => {
  const request = { common_name: "www.example.com", key_type: "ec" } as const;
  csr = (await authority().pki.generateIntermediate(request)).csr;
});

/**
 * Returns requests with every hostile value in every field, and valid values in the other fields.
 */
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
 * Sends all requests, several at a time, and returns the responses that look like a defect. `bare`:
 * responses have no envelope.
 */
async function send(
  { call }: Authority,
  requests: ReturnType<typeof requestsOf>,
  bare = false,
): Promise<readonly string[]> {
  const waiting = [...requests];
  const defects: string[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [method, path, body] = next;
      const answer = await call(method, path, body);
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
 * Returns the endpoints that write. Those that export a key are omitted, because they have the same
 * fields as others; a body that is not a document has no fields.
 */
const writing = (endpoints: readonly AnyEndpoint[]) =>
  endpoints
    .filter(
      ({ id, at, style }) =>
        at[0]?.startsWith("POST") && !/^(?:generate|rotate)Exported/.test(id) && !style.whole,
    )
    .map((endpoint) => [endpoint.id, endpoint] as const);

const failures = ({ events }: Authority) => events.filter(({ status }) => status >= 500);

it.each(writing(pki))(
  "%s returns no server error for any value of any field",
  async (_, endpoint) => {
    const requests = requestsOf(endpoint, "pki");
    let made = await withIssuer();
    for (let from = 0; from < requests.length; from += 6) {
      // requests take longer with every issuer of the mount
      if ((await made.pki.listIssuers()).keys.length > 4) made = await withIssuer();
      expect(await send(made, requests.slice(from, from + 6))).toEqual([]);
      expect(failures(made)).toEqual([]);
    }
  },
);
it.each(writing(sys))(
  "%s returns no server error for any value of any field",
  async (_, endpoint) => {
    const fresh = await withIssuer();
    expect(await send(fresh, requestsOf(endpoint, "sys"), endpoint.style === plain)).toEqual([]);
    expect(failures(fresh)).toEqual([]);
  },
);
