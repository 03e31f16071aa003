import { describe, expect, it } from "vitest";
import {
  errorsOf,
  media,
  varsDocument,
  withWorkspace,
  type Sent,
  type Service,
} from "./service.ts";

type Error = {
  readonly status: string;
  readonly title: string;
  readonly detail?: string;
  readonly source?: object;
};
type Made = Service & {
  readonly workspace: string;
  readonly id: string;
  readonly secret: string;
  readonly owner: object;
};
async function made(strict = true): Promise<Made> {
  const service = await withWorkspace({ strict });
  const plain = await service.write({ key: "plain", value: "v", description: "d" });
  const secret = await service.write({ key: "secret", value: "s", sensitive: true });
  const owner = {
    relationships: { workspace: { data: { type: "workspaces", id: service.workspace } } },
  };
  return { ...service, id: String(plain.data["id"]), secret: String(secret.data["id"]), owner };
}
const attribute = (name: string, detail: string): Error => ({
  status: "422",
  title: "invalid attribute",
  detail,
  source: { pointer: `/data/attributes/${name}` },
});
const request = (pointer: string, detail: string): Error => ({
  status: "422",
  title: "invalid request",
  detail,
  source: { pointer },
});
const notFound: Error = { status: "404", title: "not found" };
const unauthorized: Error = { status: "401", title: "unauthorized" };
const media415: Error = {
  status: "415",
  title: "invalid content type",
  detail: "content-type must be application/vnd.api+json",
};
const badJson = (detail: string): Error => ({
  status: "400",
  title: "JSON body is invalid",
  detail,
});
const whole = { key: "k", category: "env", description: "" };

/** A request and its errors. */
type Row = readonly [
  name: string,
  ask: (made: Made) => readonly [method: string, path: string, body?: unknown, sent?: Sent],
  errors: readonly Error[],
];
const post = (attributes: object) => (m: Made) =>
  ["POST", "/vars", varsDocument(attributes, m.owner)] as const;
const scoped = (attributes: object) => (m: Made) =>
  ["POST", `/workspaces/${m.workspace}/vars`, varsDocument(attributes)] as const;
const patch = (attributes: object) => (m: Made) =>
  ["PATCH", `/vars/${m.id}`, varsDocument(attributes, { id: m.id })] as const;
const patchSecret = (attributes: object) => (m: Made) =>
  ["PATCH", `/vars/${m.secret}`, varsDocument(attributes, { id: m.secret })] as const;

const rows: readonly Row[] = [
  ["a missing token", () => ["GET", "/vars", undefined, { token: "" }], [unauthorized]],
  ["an unknown token", () => ["GET", "/vars", undefined, { token: "nope" }], [unauthorized]],
  [
    "the root token, which is valid for /v1 only",
    () => ["GET", "/vars", undefined, { token: "root" }],
    [unauthorized],
  ],
  [
    "an authorization scheme other than Bearer",
    () => [
      "GET",
      "/vars",
      undefined,
      { token: "", headers: { authorization: "Basic Zm9vOmJhcg==" } },
    ],
    [unauthorized],
  ],
  [
    "a missing token on an unknown path",
    () => ["GET", "/nope", undefined, { token: "" }],
    [unauthorized],
  ],
  ["an unknown path", () => ["GET", "/nope"], [notFound]],
  ["an unknown method", (m) => ["PUT", `/vars/${m.id}`, {}], [notFound]],
  ["a bad escape in the path", () => ["GET", "/vars/%zz"], [notFound]],
  ["an unknown ID", () => ["GET", "/vars/var-EavQ1LztoRTQHSNT"], [notFound]],
  ["a malformed ID", () => ["GET", "/vars/nonexisting"], [notFound]],
  ["the ID of an object of another type", (m) => ["GET", `/vars/${m.workspace}`], [notFound]],
  [
    "a variable under another workspace",
    (m) => ["GET", `/workspaces/ws-EavQ1LztoRTQHSNT/vars/${m.id}`],
    [notFound],
  ],
  [
    "an unknown workspace in the relationship",
    () => [
      "POST",
      "/vars",
      varsDocument(whole, {
        relationships: { workspace: { data: { type: "workspaces", id: "ws-doesnotexist00000" } } },
      }),
    ],
    [notFound],
  ],
  [
    "an unknown workspace in the filter",
    () => [
      "POST",
      "/vars",
      {
        ...varsDocument(whole),
        filter: { organization: { name: "acme" }, workspace: { name: "x" } },
      },
    ],
    [notFound],
  ],
  [
    "an unknown ID, reported before a wrong media type",
    () => ["PATCH", "/vars/nonexisting", "x", { headers: { "content-type": "text/plain" } }],
    [notFound],
  ],
  [
    "a wrong media type",
    (m) => [
      "POST",
      "/vars",
      varsDocument(whole, m.owner),
      { headers: { "content-type": "application/json" } },
    ],
    [media415],
  ],
  [
    "a form as the body",
    () => [
      "POST",
      "/vars",
      '{"data":{}}',
      { headers: { "content-type": "application/x-www-form-urlencoded" } },
    ],
    [media415],
  ],
  [
    "a wrong media type, reported before malformed JSON",
    () => ["POST", "/vars", "{", { headers: { "content-type": "text/plain" } }],
    [media415],
  ],
  [
    "truncated JSON",
    () => ["POST", "/vars", '{"data":'],
    [badJson("the text is not valid JSON at position 8")],
  ],
  [
    "JSON with a stray word",
    () => ["POST", "/vars", '{"data": hello}'],
    [badJson("the text is not valid JSON at position 9")],
  ],
  [
    "text that is not JSON",
    () => ["POST", "/vars", "nope"],
    [badJson("the text is not valid JSON at position 0")],
  ],
  [
    "a byte order mark",
    (m) => ["PATCH", `/workspaces/${m.workspace}/vars/${m.id}`, "\ufeff{}"],
    [badJson("the text is not valid JSON at position 0")],
  ],
  [
    "a list as the body",
    () => ["POST", "/vars", "\n[]"],
    [badJson("the body must be a JSON object at position 1")],
  ],
  [
    "an empty body",
    () => ["POST", "/vars", ""],
    [{ status: "400", title: "JSON body is invalid", detail: "the body is empty" }],
  ],
  ["a body of white space", () => ["POST", "/vars", " \n"], [badJson("the body is empty")]],
  ["a missing `data`", () => ["POST", "/vars", {}], [request("/data", "data is required")]],
  [
    "a missing type",
    (m) => ["POST", "/vars", { data: { attributes: whole, ...m.owner } }],
    [request("/data/type", 'type must be "vars"')],
  ],
  [
    "a wrong type",
    (m) => ["POST", "/vars", { data: { type: "var", attributes: whole, ...m.owner } }],
    [request("/data/type", 'type must be "vars"')],
  ],
  [
    "a string for attributes",
    (m) => ["POST", "/vars", { data: { type: "vars", attributes: "x", ...m.owner } }],
    [request("/data/attributes", "attributes must be an object")],
  ],
  [
    "an update without an ID",
    (m) => ["PATCH", `/vars/${m.id}`, varsDocument({ value: "x" })],
    [request("/data/id", "id is required")],
  ],
  [
    "an update without attributes",
    (m) => ["PATCH", `/vars/${m.id}`, { data: { type: "vars", id: m.id } }],
    [request("/data/attributes", "attributes is required")],
  ],
  [
    "an update without type and ID",
    (m) => ["PATCH", `/vars/${m.id}`, { data: { attributes: {} } }],
    [request("/data/type", 'type must be "vars"'), request("/data/id", "id is required")],
  ],
  [
    "an ID that differs from the path",
    (m) => ["PATCH", `/vars/${m.id}`, varsDocument({}, { id: m.secret })],
    [
      {
        status: "409",
        title: "conflict",
        detail: "id does not match the resource in the URL",
        source: { pointer: "/data/id" },
      },
    ],
  ],
  [
    "an ID that differs from the path with a workspace",
    (m) => ["PATCH", `/workspaces/${m.workspace}/vars/${m.id}`, varsDocument({}, { id: m.secret })],
    [
      {
        status: "409",
        title: "conflict",
        detail: "id does not match the resource in the URL",
        source: { pointer: "/data/id" },
      },
    ],
  ],
  [
    "a missing workspace",
    () => ["POST", "/vars", varsDocument(whole)],
    [request("/data/relationships/workspace", "workspace is required")],
  ],
  [
    "a filter without a workspace name",
    () => ["POST", "/vars", { ...varsDocument(whole), filter: { organization: { name: "acme" } } }],
    [request("/filter/workspace/name", "filter.workspace.name is required")],
  ],
  [
    "a filter without an organization name",
    () => ["POST", "/vars", { ...varsDocument(whole), filter: { workspace: { name: "demo" } } }],
    [request("/filter/organization/name", "filter.organization.name is required")],
  ],
  [
    "a relationship with a wrong type",
    (m) => [
      "POST",
      "/vars",
      varsDocument(whole, {
        relationships: { workspace: { data: { type: "workspace", id: m.workspace } } },
      }),
    ],
    [request("/data/relationships/workspace/data/type", 'type must be "workspaces"')],
  ],
  [
    "a missing key",
    post({ category: "env", description: "" }),
    [attribute("key", "Key can't be blank")],
  ],
  ["a blank key", post({ ...whole, key: " \t\n" }), [attribute("key", "Key can't be blank")]],
  ["a null key", post({ ...whole, key: null }), [attribute("key", "Key can't be blank")]],
  ["a number for a key", post({ ...whole, key: 5 }), [attribute("key", "Key must be a string")]],
  [
    "a control character in a key",
    post({ ...whole, key: "a\u0000b" }),
    [attribute("key", "Key must not contain control characters")],
  ],
  [
    "a lone surrogate in a key",
    (m) => [
      "POST",
      "/vars",
      JSON.stringify(varsDocument({ ...whole, key: "K" }, m.owner)).replace('"K"', '"\\ud800"'),
    ],
    [attribute("key", "Key must be valid Unicode")],
  ],
  [
    "a key that is too long",
    post({ ...whole, key: "\u{1f511}".repeat(129) }),
    [attribute("key", "Key is too long (maximum is 128 characters)")],
  ],
  [
    "a key that is in use",
    post({ key: "plain", category: "iac", description: "" }),
    [attribute("key", "Key has already been taken")],
  ],
  [
    "a rename to a key that is in use",
    patch({ key: "secret" }),
    [attribute("key", "Key has already been taken")],
  ],
  [
    "a value that is too long",
    post({ ...whole, value: "x".repeat(262_145) }),
    [attribute("value", "Value is too long (maximum is 256 KB)")],
  ],
  [
    "a value that is too long only in UTF-8",
    post({ ...whole, value: "\u00e9".repeat(131_073) }),
    [attribute("value", "Value is too long (maximum is 256 KB)")],
  ],
  [
    "a list for a value",
    post({ ...whole, value: [] }),
    [attribute("value", "Value must be a string")],
  ],
  [
    "a missing description",
    post({ key: "k", category: "env" }),
    [attribute("description", "Description must be given (empty string allowed)")],
  ],
  [
    "a description that is too long",
    post({ ...whole, description: "x".repeat(513) }),
    [attribute("description", "Description is too long (maximum is 512 characters)")],
  ],
  [
    "an object for a description",
    post({ ...whole, description: {} }),
    [attribute("description", "Description must be a string")],
  ],
  ["a missing category", scoped({ key: "k" }), [attribute("category", "Category can't be blank")]],
  [
    "an empty category",
    scoped({ key: "k", category: "" }),
    [attribute("category", "Category can't be blank")],
  ],
  [
    "an unknown category",
    scoped({ key: "k", category: "policy-set" }),
    [attribute("category", "Category is not included in the list")],
  ],
  [
    "a category in upper case",
    patch({ category: "ENV" }),
    [attribute("category", "Category is not included in the list")],
  ],
  [
    "a string for hcl",
    scoped({ key: "k", category: "env", hcl: "true" }),
    [attribute("hcl", "Hcl must be true or false")],
  ],
  [
    "a number for sensitive",
    scoped({ key: "k", category: "env", sensitive: 1 }),
    [attribute("sensitive", "Sensitive must be true or false")],
  ],
  [
    "several errors, in the documented order",
    scoped({ sensitive: 1, hcl: 1, category: "x", description: 1, value: 1, key: 1 }),
    [
      attribute("key", "Key must be a string"),
      attribute("value", "Value must be a string"),
      attribute("description", "Description must be a string"),
      attribute("category", "Category is not included in the list"),
      attribute("hcl", "Hcl must be true or false"),
      attribute("sensitive", "Sensitive must be true or false"),
    ],
  ],
  [
    "a new key of a sensitive variable",
    patchSecret({ key: "zz" }),
    [attribute("key", "Key cannot be updated for a sensitive variable")],
  ],
  [
    "a change of hcl of a sensitive variable",
    patchSecret({ hcl: true }),
    [attribute("hcl", "Hcl cannot be updated for a sensitive variable")],
  ],
  [
    "a change of sensitive from true to false",
    patchSecret({ sensitive: false }),
    [
      attribute(
        "sensitive",
        "Sensitive cannot be changed from true to false on saved records. To make this variable readable, destroy this record and create a new one with the same key value.",
      ),
      attribute("sensitive", "Sensitive cannot be updated for a sensitive variable"),
    ],
  ],
  [
    "a list filter without a workspace name",
    () => ["GET", "/vars?filter%5Borganization%5D%5Bname%5D=acme"],
    [
      {
        status: "400",
        title: "invalid filter",
        detail: "filter[workspace][name] must be given together with filter[organization][name]",
        source: { parameter: "filter[workspace][name]" },
      },
    ],
  ],
  [
    "an empty workspace filter without an organization name",
    () => ["GET", "/vars?filter[workspace][name]="],
    [
      {
        status: "400",
        title: "invalid filter",
        detail: "filter[organization][name] must be given together with filter[workspace][name]",
        source: { parameter: "filter[organization][name]" },
      },
    ],
  ],
  [
    "a filter with an empty workspace name",
    () => ["GET", "/vars?filter[workspace][name]=&filter[organization][name]=acme"],
    [notFound],
  ],
  [
    "a filter for an unknown workspace",
    () => ["GET", "/vars?filter[workspace][name]=nope&filter[organization][name]=acme"],
    [notFound],
  ],
];

describe("the variables API", () => {
  it.each(rows)("rejects %s", async (_, ask, errors) => {
    const m = await made();
    const before = await m.call("GET", "/vars");
    const answer = await m.call(...ask(m));
    expect(errorsOf(answer)).toEqual(errors);
    expect(String(answer.status)).toBe(errors[0]?.status);
    expect(answer.headers.get("content-type")).toBe(`${media}; charset=utf-8`);
    expect(answer.headers.get("tfp-api-version")).toBe("2.6");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    // an error changes nothing
    expect((await m.call("GET", "/vars")).json).toEqual(before.json);
  });

  it.each([null, [], "x", 5, false])(
    "rejects data that is not an object with `data is required`, on both endpoints (%j)",
    async (data) => {
      const m = await made();
      for (const path of ["/vars", `/workspaces/${m.workspace}/vars`])
        for (const [method, to] of [
          ["POST", path],
          ["PATCH", `${path}/${m.id}`],
        ] as const) {
          const answer = await m.call(method, to, { data });
          expect([answer.status, errorsOf(answer)]).toEqual([
            422,
            [request("/data", "data is required")],
          ]);
        }
    },
  );
  it("reports the position of the first invalid character in a JSON body", async () => {
    const { call } = await withWorkspace();
    const at = async (body: string) =>
      /(?<= at position )\d+$/.exec(
        String((await call("POST", "/vars", body)).json["errors"]?.["0"]?.["detail"]),
      )?.[0];
    const marked = [
      "^nope",
      "^\ufeff{}",
      " ^null",
      '^"x"',
      '{"a" ^1}',
      '{"a":1,^}',
      '{"a":[1,^]}',
      '{"a":[1^}',
      '{"a":{}^]}',
      '{"a":0^1}',
      '{"a":^.5}',
      '{"a":1^."x"}',
      '{"a":"b^\\x"}',
      '{"a":"b^\n"}',
      '{"a":"b\\"",^c"}',
      '{"a":^tru}',
      '{"a":true,^false:1}',
      '{"a":1}^{}',
      '{"a":1}^,',
      "{^'a':1}",
      "{^a:1}",
      '{"a":1^',
      '{"a":"b^',
      '{"a^',
    ];
    for (const text of marked)
      expect(await at(text.replace("^", "")), text).toBe(String(text.indexOf("^")));
    const long = "x\\n".repeat(500_000);
    expect(await at(`{"a":"${long}","b":[${"1,".repeat(9_000)}]}`)).toBe(
      String(long.length + 13 + 18_000),
    );
  });
  it("prints the members of an error in the documented order, with the status as a string", async () => {
    const { write } = await withWorkspace();
    expect((await write({ key: "" })).text).toBe(
      '{"errors":[{"status":"422","title":"invalid attribute","detail":"Key can\'t be blank","source":{"pointer":"/data/attributes/key"}}]}',
    );
  });
  it("rejects a body larger than 8 MiB, with or without Content-Length", async () => {
    const { send, workspace } = await withWorkspace();
    const headers = { authorization: "Bearer first-token-of-the-tests", "content-type": media };
    const url = `http://ca.test/api/v2/workspaces/${workspace}/vars`;
    const large = new Uint8Array(8 * 1024 * 1024 + 1).fill(0x20);
    expect((await send(new Request(url, { method: "POST", headers, body: large }))).status).toBe(
      413,
    );
    const stream = new ReadableStream({
      start: (control) =>
        [large.subarray(0, 5_000_000), large.subarray(5_000_000)].forEach((part) =>
          control.enqueue(part),
        ),
    });
    // streamed bodies require this member, which the type lacks
    const streamed: RequestInit & { duplex: "half" } = {
      method: "POST",
      headers,
      body: stream,
      duplex: "half",
    };
    expect((await send(new Request(url, streamed))).status).toBe(413);
  });
});

describe("/vars with strict off", () => {
  it("accepts a variable without a description and an update without attributes", async () => {
    const m = await made(false);
    const answer = await m.call(
      "POST",
      "/vars",
      varsDocument({ key: "k", category: "terraform" }, m.owner),
    );
    expect([answer.status, answer.data["attributes"]?.["description"]]).toEqual([201, null]);
    expect(
      (await m.call("PATCH", `/vars/${m.id}`, { data: { type: "vars", id: m.id } })).status,
    ).toBe(200);
  });
});

describe("tolerated input", () => {
  it("includes parameters of the media type, one trailing slash, any scheme case, and unknown members", async () => {
    const m = await made();
    const body = {
      ...varsDocument(
        { key: "t", category: "env", "created-at": "x", "version-id": "y", other: {} },
        { id: "var-x", meta: 1 },
      ),
      extra: true,
    };
    const answer = await m.call("POST", `/workspaces/${m.workspace}/vars/?x=1`, body, {
      token: "",
      headers: {
        "content-type": `${media}; charset=utf-8`,
        authorization: "bEARER first-token-of-the-tests",
      },
    });
    expect(answer.status, answer.text).toBe(201);
    expect((await m.call("DELETE", `/vars/${String(answer.data["id"])}`, "null")).status).toBe(204);
  });
  it("includes a filter beside a relationship, which takes precedence", async () => {
    const m = await made();
    const answer = await m.call("POST", "/vars", {
      ...varsDocument(whole, m.owner),
      filter: { organization: { name: "x" }, workspace: { name: "y" } },
    });
    expect(answer.status, answer.text).toBe(201);
  });
  it("includes renaming and hiding a variable in one update, and unchanged values in an update of a sensitive one", async () => {
    const m = await made();
    expect(
      (await m.call(...patch({ sensitive: true, key: "moved" })(m))).data["attributes"],
    ).toMatchObject({ key: "moved", value: null, sensitive: true });
    expect(
      (
        await m.call(
          ...patchSecret({
            key: "secret",
            hcl: false,
            sensitive: true,
            description: "new",
            category: "env",
          })(m),
        )
      ).data["attributes"],
    ).toMatchObject({ description: "new", category: "env" });
  });
});

it("every response of /vars is marked as deprecated and links to the successor", async () => {
  const m = await made();
  const read = await m.call("GET", `/vars/${m.id}`);
  expect(read.headers.get("deprecation")).toMatch(/^@\d+$/);
  expect(read.headers.get("link")).toBe(
    `</api/v2/workspaces/${m.workspace}/vars/${m.id}>; rel="successor-version"`,
  );
  for (const answer of [
    await m.call("GET", "/vars"),
    await m.call("GET", "/vars/nope"),
    await m.call("GET", "/vars", undefined, { token: "" }),
  ]) {
    expect(answer.headers.get("deprecation")).not.toBeNull();
    expect(answer.headers.get("link")).toContain('rel="successor-version"');
  }
  expect(
    (await m.call("GET", `/workspaces/${m.workspace}/vars`)).headers.get("deprecation"),
  ).toBeNull();
});
