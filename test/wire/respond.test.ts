import { describe, expect, it } from "vitest";
import { parseRequestUrl } from "../../src/base/request-url.ts";
import { createCa, memoryStore, type IncomingRequest } from "../../src/index.ts";

const token = "root-token-of-this-test";
const ca = createCa({
  stores: memoryStore(),
  authenticate: async (given) =>
    given === token ? { id: "root", policies: ["root"], can: () => true } : undefined,
});
await ca.pki.generateRoot({ common_name: "Root", key_type: "ec", ttl: "87600h" });
await ca.pki.writeRole({ name: "web", allow_any_name: true, key_type: "ec" });

const plain = (
  method: string,
  path: string,
  { body = "", ...fields }: Readonly<Record<string, string>> = {},
): IncomingRequest => {
  const bytes = new TextEncoder().encode(body);
  return {
    method,
    url: parseRequestUrl(`https://ca.example${path}`),
    headers: new Headers({ "x-service-token": token, ...fields }),
    body: { length: bytes.length, read: async () => bytes },
  };
};
const steady = (text: string): string => text.replace(/"request_id":"[^"]*"/, "");

describe("Ca.respond", () => {
  it.each([
    ["GET", "/v1/pki/roles/web", {}],
    ["GET", "/v1/pki/ca/pem", {}],
    ["GET", "/v1/pki/crl", { "if-none-match": "*" }],
    ["HEAD", "/v1/pki/ca/pem", {}],
    ["GET", "/v1/pki/roles?list=true", {}],
    [
      "POST",
      "/v1/pki/roles/other",
      { body: '{"key_type":"ec"}', "content-type": "application/json" },
    ],
    ["POST", "/v1/pki/issue/web", { body: "{", "content-type": "application/json" }],
    ["OPTIONS", "/v1/pki/roles", { origin: "https://page.example" }],
    ["DELETE", "/v1/none/at/all", {}],
  ])("answers %s %s with the response of Ca.fetch", async (method, path, fields) => {
    const { body, ...headers }: Readonly<Record<string, string>> = fields;
    const seen = await ca.respond(plain(method, path, fields));
    const expected = await ca.fetch(
      new Request(`https://ca.example${path}`, {
        method,
        headers: { "x-service-token": token, ...headers },
        ...(body === undefined ? {} : { body }),
      }),
    );
    expect(seen.status).toBe(expected.status);
    const { "x-request-id": _, ...fixed } = seen.headers;
    const theirs = Object.fromEntries(expected.headers);
    delete theirs["x-request-id"];
    expect(fixed).toEqual(theirs);
    const text = seen.body === null ? "" : await new Response(seen.body as BodyInit).text();
    expect(steady(text)).toBe(steady(await expected.text()));
  });

  it("answers the method LIST, which some platforms do not send", async () => {
    const { status, body } = await ca.respond(plain("LIST", "/v1/pki/roles"));
    expect(status).toBe(200);
    expect(JSON.parse(body as string).data.keys).toContain("web");
  });
});
