import { describe, expect, it } from "vitest";
import { pki, sys } from "../../src/index.ts";
import { endpoint } from "../../src/wire/endpoint.ts";
import { int, list, listOrNull, text } from "../../src/wire/field.ts";
import type { Group } from "../../src/wire/openapi.ts";
import { referenceData, referenceHtml } from "../../src/wire/reference.ts";
import { envelope, raw } from "../../src/wire/style.ts";

const groups: readonly Group[] = [
  { base: "/v1/pki", tag: "pki", endpoints: pki },
  { base: "/v1/sys", tag: "sys", endpoints: sys },
];
const hostile = `"><script>alert('x')</script>&`;
const sample = endpoint({
  id: "sample",
  at: ["POST /sample(/:name)", "PATCH /sample/:name"],
  access: "sudo",
  style: envelope,
  doc: `Takes \`a\` and ${hostile}`,
  rest: true,
  body: { a: text.required("The `a`."), b: int.default(5, hostile), c: listOrNull.optional("") },
  reply: { keys: list.required("Names.") },
  refuses: ["in_use", "not_found"],
  run: async () => undefined,
});
const bytes = endpoint({ id: "bytes", at: ["GET /bytes/:path+"], access: "open", style: raw, doc: "Bytes.", body: {}, reply: {}, run: async () => undefined });

describe("the reference as data", () => {
  it("tells everything of an endpoint in plain data", () => {
    const [group] = referenceData([{ base: "/v1/x", tag: "x", endpoints: [sample, bytes] }]);
    expect(group?.entries[0]).toEqual({
      id: "sample",
      doc: sample.doc,
      access: "sudo",
      rest: true,
      raw: false,
      parameters: ["name"],
      calls: [
        { method: "POST", path: "/v1/x/sample" },
        { method: "POST", path: "/v1/x/sample/:name" },
        { method: "PATCH", path: "/v1/x/sample/:name" },
      ],
      fields: [
        { name: "a", type: "string", required: true, doc: "The `a`." },
        { name: "b", type: "integer", required: false, doc: hostile, standard: "5" },
        { name: "c", type: "list of string or null", required: false, doc: "" },
      ],
      reply: [{ name: "keys", type: "list of string", required: true, doc: "Names." }],
      refusals: [
        { code: "in_use", status: 400 },
        { code: "not_found", status: 404 },
      ],
    });
    expect(group?.entries[1]).toMatchObject({ access: "open", raw: true, calls: [{ method: "GET", path: "/v1/x/bytes/:path" }] });
    expect(JSON.parse(JSON.stringify(group))).toEqual(group);
  });
  it("has every endpoint of the system, each with a text", () => {
    const data = referenceData(groups);
    expect(data.map(({ tag, entries }) => [tag, entries.length])).toEqual([
      ["pki", pki.length],
      ["sys", sys.length],
    ]);
    for (const { entries } of data)
      for (const { id, doc, calls, fields, reply } of entries) {
        expect([id, doc.length > 5, calls.length > 0]).toEqual([id, true, true]);
        for (const field of [...fields, ...reply])
          expect([id, field.name, field.doc !== "", field.type]).toEqual([id, field.name, true, expect.not.stringMatching(/any|undefined/)]);
      }
  });
});

describe("the reference as a page", () => {
  it("escapes every text", () => {
    const html = referenceHtml([{ base: `/v1/${hostile}`, tag: hostile, endpoints: [sample] }]);
    expect(html).not.toContain("<script>");
    expect(html).not.toContain("alert('x')");
    expect(html).toContain("&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;");
    expect(html).toContain("Takes <code>a</code> and ");
  });
  it("has a language, a title, one first heading, and tables with headers and captions", () => {
    const html = referenceHtml(groups);
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(html).toContain("<title>API reference</title>");
    expect(html.match(/<h1>/g)).toHaveLength(1);
    const tables = html.match(/<table>.*?<\/table>/gs) ?? [];
    expect(tables.length).toBeGreaterThan(20);
    for (const table of tables)
      expect(table).toMatch(
        /^<table><caption>(?:Fields|Reply)<\/caption><thead><tr>(?:<th scope="col">\w+<\/th>){3}<\/tr><\/thead><tbody>(?:<tr><th scope="row">.*?<\/tr>)+<\/tbody><\/table>$/s,
      );
    expect(html).not.toMatch(/<script|javascript:|\son\w+=|src=/);
  });
  it("closes what it opens, has no id twice, and its links lead somewhere", () => {
    const html = referenceHtml(groups);
    const open: string[] = [];
    for (const [, closing, name = ""] of html.replace(/<!doctype html>|<meta [^>]*>/g, "").matchAll(/<(\/?)(\w+)[^>]*>/g)) {
      if (closing) expect(open.pop()).toBe(name);
      else open.push(name);
    }
    expect(open).toEqual([]);
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of html.matchAll(/(?:href="#|aria-labelledby=")([^"]+)"/g)) expect(ids).toContain(target);
    expect(ids).toContain("pki-issue");
  });
});
