import { expect, it } from "vitest";
import {
  isOnlyNamed,
  readAddress,
  readUsed,
  searchOf,
  serverOf,
  wrongMount,
  type PageLocation,
  type PageKind,
  type ServerAddress,
} from "../../../demo/lib/page-location.ts";

const lyingAs = (page: PageKind): PageLocation => ({
  page,
  origin: "https://ca.example.net",
  folder: "https://ca.example.net/demo",
});
const worker = (base: string, mount = "pki"): ServerAddress => ({ kind: "worker", base, mount });
const own: ServerAddress = { kind: "browser", base: "https://ca.example.net/demo", mount: "pki" };

it("a page served by a Worker uses that Worker, a page on a static host the browser's authority, and connect.html none", () => {
  expect(serverOf("", lyingAs("worker"))).toEqual(worker("https://ca.example.net"));
  expect(serverOf("", lyingAs("index"))).toEqual(own);
  expect(serverOf("", lyingAs("connect"))).toEqual(worker(""));
  expect(serverOf("?at=browser", lyingAs("worker"))).toEqual(own);
  expect(serverOf("?at=browser", lyingAs("connect"))).toEqual(worker(""));
});

it.each([
  ["worker", worker("https://ca.example.net")],
  ["worker", worker("https://ca.example.net", "team/pki-2")],
  ["worker", own],
  ["worker", { ...own, mount: "other" }],
  ["index", own],
  ["index", worker("https://ca.example.net", "other")],
  ["connect", worker("")],
  ["connect", worker("https://far.example:8443/prefix", "other")],
  ["connect", worker("http://127.0.0.1:8787")],
] as const)("on the page %s the URL names the authority %o and no other", (page, where) => {
  expect(serverOf(searchOf(where, lyingAs(page)), lyingAs(page))).toEqual(where);
});

it("the URL contains the mount of a Worker, and the Worker's address if the page is not served by it", () => {
  expect(searchOf(worker("https://ca.example.net"), lyingAs("worker"))).toBe("?mount=pki");
  expect(searchOf(worker("https://far.example"), lyingAs("connect"))).toBe(
    "?at=https://far.example&mount=pki",
  );
  expect(searchOf(own, lyingAs("worker"))).toBe("?at=browser");
  expect(searchOf(own, lyingAs("index"))).toBe("");
});

it.each([
  "https://far.example",
  "http://far.example",
  "nonsense",
  "https://user:word@ca.example.net",
  "javascript:alert(1)",
])("a URL that names %s, which this page cannot call, opens no other authority", (at) => {
  for (const page of ["index", "worker"] as const)
    expect(serverOf(`?at=${encodeURIComponent(at)}`, lyingAs(page))).toEqual(worker(""));
  if (at !== "https://far.example")
    expect(serverOf(`?at=${encodeURIComponent(at)}`, lyingAs("connect"))).toEqual(worker(""));
});

it("a typed address is reduced to its base URL, and an unusable one is explained", () => {
  const { page, ...place } = lyingAs("connect");
  const read = (typed: string) => readAddress(typed, { page, ...place });
  expect(read(" https://far.example/v1/ ")).toEqual({ base: "https://far.example" });
  expect(read("http://far.example")).toEqual({ why: "Tokens are sent only over https" });
  expect(read("")).toEqual({ why: "Empty: not a URL. Enter https://ca.example.net" });
  expect(readAddress("https://far.example", lyingAs("index"))).toEqual({ why: "elsewhere" });
});

it.each([
  "../zzz",
  "../sys",
  "pki/../sys",
  "./pki",
  "pki//roles",
  "pki?x",
  "pki#x",
  "pki%2f..%2fsys",
  "pki\\sys",
  "..",
  "p k i",
  "x".repeat(600),
])(
  "a URL with the mount %s opens no authority, because the token would be sent to another path",
  (mount) => {
    for (const page of ["index", "worker", "connect"] as const)
      expect(serverOf(`?mount=${encodeURIComponent(mount)}`, lyingAs(page))).toEqual(worker(""));
    expect(wrongMount(mount)).toContain("not a valid mount name");
  },
);

it.each(["pki", "team/pki-2", "a.b/c_d", "...", "v1.2"])("%s is a valid mount path", (mount) => {
  expect(wrongMount(mount)).toBe("");
});

it("a server that is named only by a link must be confirmed, unless it was used in this tab or serves the page", () => {
  const used = new Set(["https://ca.example.org"]);
  const asked = (search: string, page: PageKind) =>
    isOnlyNamed(serverOf(search, lyingAs(page)), lyingAs(page), used);
  expect(asked("?at=https://evil.example", "connect")).toBe(true);
  expect(asked("?at=https://ca.example.org.evil.example", "connect")).toBe(true);
  expect(asked("?at=https://ca.example.org:8443", "connect")).toBe(true);
  expect(asked("?at=https://ca.example.org/v1/", "connect")).toBe(false);
  for (const search of ["", "?at=nonsense", "?at=http://evil.example", "?at=browser"])
    expect([search, asked(search, "connect")]).toEqual([search, false]);
  for (const page of ["index", "worker"] as const)
    for (const search of ["", "?at=https://evil.example"]) expect(asked(search, page)).toBe(false);
});

it("stored Workers are read as a list of strings, and anything else as an empty list", () => {
  expect(readUsed('["https://a.example",1,null,"https://b.example"]')).toEqual([
    "https://a.example",
    "https://b.example",
  ]);
  for (const kept of [null, "", "{", "{}", "7", '"https://a.example"'])
    expect(readUsed(kept)).toEqual([]);
});
