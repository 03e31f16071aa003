import { expect, it } from "vitest";
import { defaultEntry, groupResults, type PaletteText } from "../../../demo/app/palette-groups.ts";

const entry = (group: PaletteText["group"], title: string): PaletteText => ({
  id: `${group} ${title}`,
  group,
  title,
});
const known = [
  entry("Actions", "Revoke a certificate…"),
  entry("Actions", "Issue a certificate"),
  entry("Pages", "Revocation"),
  entry("Settings", "Expired certificates can be revoked"),
  ...Array.from({ length: 9 }, (_, i) => entry("Roles", `rev-${i}`)),
];
const sources = { recent: [], builtIn: known, certificates: [], calls: [] };
/** Returns the titles of results by heading. */
const shown = (
  query: string,
  more: Partial<Parameters<typeof groupResults<PaletteText>>[1]> = {},
) =>
  Object.fromEntries(
    groupResults(query, { ...sources, ...more }).map(({ name, entries }) => [
      name,
      entries.map(({ title }) => title),
    ]),
  );

it("the palette shows recent choices, actions and pages before anything is typed", () => {
  const recent = [entry("Roles", "rev-3")];
  expect(shown("", { recent })).toEqual({
    Recent: ["rev-3"],
    Actions: ["Revoke a certificate…", "Issue a certificate"],
    Pages: ["Revocation"],
  });
});

it("a query shows at most five results per group, better matches first, and certificates and calls last", () => {
  const certificates = [entry("Certificates", "Search certificates for “rev”")];
  const calls = [entry("API calls", "POST /v1/pki/revoke")];
  const found = shown("rev", { certificates, calls });
  expect(Object.keys(found)).toEqual([
    "Actions",
    "Pages",
    "Roles",
    "Settings",
    "Certificates",
    "API calls",
  ]);
  expect(found["Roles"]).toEqual(["rev-0", "rev-1", "rev-2", "rev-3", "rev-4"]);
  expect(Object.keys(shown("expired"))).toEqual(["Settings"]);
});

it("a recent choice that matches comes first and is shown once", () => {
  const recent = [entry("Pages", "Revocation"), entry("Roles", "mail")];
  const found = shown("revocation", { recent });
  expect(found).toEqual({ Recent: ["Revocation"] });
});

it("a recent certificate shows its current state once the server has found it", () => {
  const recent = [{ ...entry("Certificates", "one.test"), hint: "Issued" }];
  const certificates = [{ ...entry("Certificates", "one.test"), hint: "Revoked" }];
  expect(groupResults("one", { ...sources, recent, certificates })).toEqual([
    { name: "Recent", entries: certificates },
  ]);
});

it.each([
  ["web", "role web"],
  [" Web ", "role web"],
  ["acme root", "issuer 0a-1"],
  ["acme", "issuer 0a-1"],
  ["0a-1", "issuer 0a-1"],
  ["4f:61", "certificate 4f61"],
  ["we", undefined],
  ["4f", undefined],
  ["mail", undefined],
  ["", undefined],
])("a query that names exactly one role, CA or certificate selects it: %j", (query, id) => {
  const entries: readonly PaletteText[] = [
    { id: "page web", group: "Pages", title: "web" },
    { id: "role web", group: "Roles", title: "web" },
    { id: "issue web", group: "Roles", title: "Issue with web" },
    { id: "role mail", group: "Roles", title: "mail" },
    { id: "issuer 0a-1", group: "CAs", title: "Acme Root", name: "acme" },
    { id: "issuer 0b-2", group: "CAs", title: "mail" },
    { id: "certificate 4f61", group: "Certificates", title: "mail" },
  ];
  const first: PaletteText = { id: "action first", group: "Actions", title: "First" };
  expect(defaultEntry(query, [first, ...entries])?.id).toBe(id ?? first.id);
});

it("Enter opens the only certificate that a search finds, or the list if it finds several", () => {
  const search: PaletteText = { id: "search", group: "Certificates", title: "Search" };
  const found = ["1a", "2b"].map((serial): PaletteText => ({
    id: `certificate ${serial}`,
    group: "Certificates",
    title: "www.example.test",
  }));
  expect(defaultEntry("www", [search, ...found.slice(0, 1)])?.id).toBe("certificate 1a");
  expect(defaultEntry("www", [search, ...found])?.id).toBe("search");
  const role: PaletteText = { id: "role www-servers", group: "Roles", title: "www-servers" };
  expect(defaultEntry("www", [role, search, ...found.slice(0, 1)])?.id).toBe("role www-servers");
});
