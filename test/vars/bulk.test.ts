import { describe, expect, it } from "vitest";
import type { Store, Stores } from "../../src/engine/ports.ts";
import { errorsOf, service, varsDocument, withWorkspace, type Answer } from "./service.ts";

const items = (...attributes: readonly object[]) => ({
  data: attributes.map((each) => varsDocument(each).data),
});
const attributesOf = ({ json }: Answer) =>
  (json["data"] as unknown as { attributes: object }[]).map(({ attributes }) => attributes);

describe("POST workspaces/:id/vars/bulk", () => {
  it("creates new variables and updates existing ones, in the order sent", async () => {
    const { call, write, workspace } = await withWorkspace();
    const before = await write({ key: "b", value: "old", description: "stays", hcl: true });
    const answer = await call(
      "POST",
      `/workspaces/${workspace}/vars/bulk`,
      items(
        { key: "c", category: "env", value: "1" },
        { key: "b", category: "iac", value: "new" },
        { key: "a", category: "terraform", sensitive: true, value: "s" },
      ),
    );
    expect(answer.status, answer.text).toBe(200);
    expect(attributesOf(answer)).toMatchObject([
      { key: "c", category: "env", value: "1" },
      { key: "b", category: "iac", value: "new", description: "stays", hcl: true },
      { key: "a", category: "terraform", value: null, sensitive: true },
    ]);
    expect(answer.json["data"]?.["1"]?.["id"]).toBe(before.data["id"]);
    expect((await call("GET", `/workspaces/${workspace}/vars`)).json["data"]).toHaveLength(3);
  });
  it("changes nothing if one item is invalid, and reports each error at its item", async () => {
    const { call, write, workspace } = await withWorkspace();
    await write({ key: "s", value: "x", sensitive: true });
    const path = `/workspaces/${workspace}/vars`;
    const before = (await call("GET", path)).text;
    const answer = await call("POST", `${path}/bulk`, {
      data: [
        varsDocument({ key: "ok", category: "env" }).data,
        varsDocument({ key: "", category: "x" }).data,
        varsDocument({ key: "ok", category: "env" }).data,
        { type: "var" },
        5,
      ],
    });
    expect(answer.status).toBe(422);
    expect(
      (errorsOf(answer) as { detail: string; source: object }[]).map(({ detail, source }) => [
        detail,
        source,
      ]),
    ).toEqual([
      ["Key can't be blank", { pointer: "/data/1/attributes/key" }],
      ["Category is not included in the list", { pointer: "/data/1/attributes/category" }],
      ["Key has already been taken", { pointer: "/data/2/attributes/key" }],
      ['type must be "vars"', { pointer: "/data/3/type" }],
      ["data.4 must be an object", { pointer: "/data/4" }],
    ]);
    const locked = await call(
      "POST",
      `${path}/bulk`,
      items({ key: "new", category: "env" }, { key: "s", category: "terraform", sensitive: false }),
    );
    expect([locked.status, locked.text]).toEqual([
      422,
      expect.stringContaining('"/data/1/attributes/sensitive"'),
    ]);
    expect((await call("GET", path)).text).toBe(before);
  });
  it("accepts at most 500 variables", async () => {
    const { call, workspace } = await withWorkspace();
    const many = (count: number) =>
      items(...Array.from({ length: count }, (_, i) => ({ key: `k${i}`, category: "env" })));
    expect((await call("POST", `/workspaces/${workspace}/vars/bulk`, many(501))).status).toBe(422);
    expect((await call("POST", `/workspaces/${workspace}/vars/bulk`, many(500))).status).toBe(200);
    expect((await call("POST", `/workspaces/${workspace}/vars/bulk`, { data: {} })).status).toBe(
      422,
    );
  });
  it("leaves one variable per key after concurrent calls", async () => {
    const { call, workspace } = await withWorkspace();
    const many = (value: string) =>
      items(...Array.from({ length: 50 }, (_, i) => ({ key: `k${i}`, category: "env", value })));
    const answers = await Promise.all(
      ["a", "b", "c"].map((value) =>
        call("POST", `/workspaces/${workspace}/vars/bulk`, many(value)),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const listed = attributesOf(await call("GET", `/workspaces/${workspace}/vars`)) as {
      value: string;
    }[];
    expect(listed).toHaveLength(50);
    expect(new Set(listed.map(({ value }) => value)).size).toBe(1);
  });
});

describe("large bulk writes", () => {
  const large = (from: number) =>
    Array.from(
      { length: 6 },
      (_, i) =>
        varsDocument({ key: `k${from + i}`, category: "env", value: "v".repeat(256 * 1024) }).data,
    );
  const untouched = Array.from(
    { length: 6 },
    (_, i) => varsDocument({ key: `k${i}`, category: "env", description: "d" }).data,
  );
  it("run one at a time per workspace, whether large values are sent or already stored; small writes are not limited", async () => {
    const { call, workspace, stores, clock } = await withWorkspace();
    const path = `/workspaces/${workspace}/vars/bulk`;
    expect((await call("POST", path, { data: large(0) })).status).toBe(200);
    for (const data of [large(10), untouched]) {
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => call("POST", path, { data })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 503, 503, 503, 503]);
      const refused = answers.find(({ status }) => status === 503);
      expect([refused?.headers.get("retry-after"), errorsOf(refused as Answer)]).toEqual([
        "1",
        [
          {
            status: "503",
            title: "busy",
            detail: "another large write to this workspace is in progress; try again",
          },
        ],
      ]);
      expect((await call("POST", path, { data })).status).toBe(200);
    }
    const small = Array.from({ length: 5 }, (_, i) =>
      call("POST", path, { data: [varsDocument({ key: `s${i}`, category: "env" }).data] }),
    );
    expect((await Promise.all(small)).map(({ status }) => status)).toEqual(
      Array<number>(5).fill(200),
    );
    // a request that never finishes releases its slot after 30 seconds
    const { begun, ...held } = hanging(stores);
    const hung = service({ ...held, clock, seed: 4 });
    void hung.call("POST", path, { data: untouched });
    await begun;
    expect((await hung.call("POST", path, { data: untouched })).status).toBe(503);
    clock.advance(30);
    expect((await hung.call("POST", path, { data: untouched })).status).toBe(200);
  });
  /** Returns stores whose first commit of variables never completes. */
  function hanging(stores: Stores): { readonly stores: Stores; readonly begun: Promise<void> } {
    let hung = false;
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const opened: Stores = (name) => {
      const store = stores(name);
      const commit: Store["commit"] = (batch) => {
        if (hung || !batch.put?.some(([key]) => key.startsWith("var/"))) return store.commit(batch);
        hung = true;
        begin();
        return new Promise<undefined>(() => undefined);
      };
      return { ...store, commit };
    };
    return { stores: opened, begun };
  }
});

describe("GET workspaces/:id/vars/export", () => {
  const values = {
    PLAIN: "v",
    QUOTES: `it's "so" $HOME \`x\` \\`,
    LINES: "a\nb\n",
    EMPTY: "",
    UNICODE: "\u{1f512}",
  };
  it("returns a dotenv file that a shell reads back exactly, without sensitive values", async () => {
    const { call, write, workspace } = await withWorkspace();
    for (const [key, value] of Object.entries(values)) await write({ key, value, category: "env" });
    await write({ key: "region", value: "eu" });
    await write({ key: "SECRET", value: "s", category: "env", sensitive: true });
    await write({ key: "odd key", value: "x", category: "env" });
    const answer = await call("GET", `/workspaces/${workspace}/vars/export`);
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.text).toContain("# SECRET: sensitive, its value is not shown\n");
    expect(answer.text).toContain("# odd key: not a valid shell variable name\n");
    const { spawnSync } = await import("node:child_process");
    const print = [...Object.keys(values), "TF_VAR_region"]
      .map((name) => `printf '%s\\0' "$${name}"`)
      .join(";");
    const read = spawnSync("sh", ["-c", `${answer.text}\n${print}`], { encoding: "utf8", env: {} });
    expect(read.stdout.split("\0").slice(0, -1)).toEqual([...Object.values(values), "eu"]);
  });
  it("marks the values on which dotenv parsers disagree, and no others", async () => {
    const { call, write, workspace } = await withWorkspace();
    const agreed = { A: "it's", B: 'say "hi" $HOME', C: "a\nb\n", D: "  # x = y ", E: "`x`" };
    const disputed = {
      P: `it's "so"`,
      Q: "it's $5",
      R: "C:\\",
      S: "a\\nb",
      T: "a\r\nb",
      U: "${X}",
    };
    for (const [key, value] of Object.entries({ ...agreed, ...disputed }))
      await write({ key, value, category: "env" });
    const { text } = await call("GET", `/workspaces/${workspace}/vars/export`);
    const told = [...text.matchAll(/^# (\w+): quoted for a POSIX shell/gm)].map(([, name]) => name);
    expect(told).toEqual(Object.keys(disputed));
  });
  it("has one line per name: a provisioning variable overrides an env variable with the same name", async () => {
    const { call, write, workspace } = await withWorkspace();
    await write({ key: "Region", value: "provisioning" });
    await write({ key: "TF_VAR_Region", value: "env", category: "env" });
    const { text } = await call("GET", `/workspaces/${workspace}/vars/export`);
    expect(text.match(/^TF_VAR_Region=.*$/gm)).toEqual(["TF_VAR_Region='provisioning'"]);
    expect(text).toContain("# TF_VAR_Region: omitted");
  });
  it("prevents a key with a Unicode line separator from starting a new line", async () => {
    const { call, write, workspace } = await withWorkspace();
    for (const end of ["\u2028", "\u2029"])
      await write({ key: `a${end}EVIL=1`, value: "x", category: "env" });
    const { text } = await call("GET", `/workspaces/${workspace}/vars/export`);
    expect(
      text
        .split(/[\n\r\v\f\u0085\u2028\u2029]/)
        .filter((line) => line !== "" && !line.startsWith("#")),
    ).toEqual([]);
  });
  it("returns JSON that the bulk call accepts", async () => {
    const { call, write, workspace } = await withWorkspace();
    for (const [key, value] of Object.entries(values))
      await write({ key, value, category: "env", description: "d", hcl: true });
    await write({ key: "SECRET", value: "s", sensitive: true });
    const answer = await call("GET", `/workspaces/${workspace}/vars/export?format=json`);
    expect(answer.headers.get("content-type")).toBe("application/json");
    const other = await call("POST", "/organizations/acme/workspaces", {
      data: { type: "workspaces", attributes: { name: "copy" } },
    });
    for (const target of [workspace, String(other.data["id"])]) {
      const written = await call("POST", `/workspaces/${target}/vars/bulk`, answer.text);
      expect(written.status, written.text).toBe(200);
      expect((await call("GET", `/workspaces/${target}/vars/export?format=json`)).text).toBe(
        answer.text,
      );
    }
  });
  it("returns an empty file or an empty list for an empty workspace", async () => {
    const { call, workspace } = await withWorkspace();
    expect((await call("GET", `/workspaces/${workspace}/vars/export`)).text).toBe("");
    expect((await call("GET", `/workspaces/${workspace}/vars/export?format=json`)).json).toEqual({
      data: [],
    });
  });
  it("rejects an unknown format", async () => {
    const { call, workspace } = await withWorkspace();
    expect((await call("GET", `/workspaces/${workspace}/vars/export?format=xml`)).status).toBe(400);
  });
});
