import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { host, openDevCa, type Host, type Window } from "./support.ts";
import { viewIds } from "./views.ts";

let at: Host;
let window: Window;
/** A host name of the maximum length, 253 characters, with labels of the maximum length. */
const longest = [63, 63, 63, 61].map((length, i) => "abcd".charAt(i).repeat(length)).join(".");
const serials = new Map<string, string>();
const issuers: string[] = [];

const send = (
  method: string,
  path: string,
  body?: object,
): Promise<{ data: { serial_number: string; issuer_id: string; keys: readonly string[] } }> =>
  window.page.evaluate(
    `fetch('./v1/pki/${path}', ${JSON.stringify({ method, ...(body && { body: JSON.stringify(body) }) })}).then((answer) => answer.json())`,
  );

async function fill(): Promise<void> {
  await send("POST", "roles/any", {
    allow_any_name: true,
    enforce_hostnames: false,
    key_type: "ec",
    max_ttl: "9528h",
    allow_ip_sans: true,
  });
  for (const [title, body] of [
    ["long", { common_name: "long.test", alt_names: longest }],
    ["mixed", { common_name: "р\u0430ypal.example", exclude_cn_from_sans: true }],
    ["idn", { common_name: "xn--bcher-kva.example" }],
    ["turned", { common_name: "\u202egnp.exe", exclude_cn_from_sans: true }],
  ] as const)
    serials.set(
      title,
      (await send("POST", "issue/any", body)).data.serial_number.replaceAll(":", ""),
    );
  const name = "Long".repeat(15);
  const { data } = await send("POST", "root/generate/internal", {
    common_name: name,
    issuer_name: `long-${"n".repeat(60)}`,
    key_type: "ec",
    ttl: "20h",
  });
  issuers.push(data.issuer_id);
  await send("POST", `roles/${"r".repeat(120)}`, {
    allowed_domains: [longest],
    allow_subdomains: true,
    key_type: "ec",
  });
}

beforeAll(async () => {
  at = await host();
  window = await openDevCa(at);
  await fill();
});
afterAll(async () => {
  await window.context.close();
  await at.close();
});

async function show(hash: string): Promise<void> {
  const { page } = window;
  await page.evaluate("location.hash = '#/nowhere'");
  await page.getByRole("heading", { level: 1, name: "Nothing here" }).waitFor();
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${hash}`)}`);
  await page
    .getByRole("heading", { level: 1, name: "Nothing here" })
    .waitFor({ state: "detached" });
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
}

/** Lists elements that are truncated or overflow horizontally. */
const sideways = `[document.documentElement, ...document.querySelectorAll('dialog[open], main > div, .card, td, .badge, dd')]
  .filter((box) => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).textOverflow !== 'ellipsis')
  .concat([...document.querySelectorAll('.badge, .card select')].filter((box) => box.checkVisibility() && box.getBoundingClientRect().right > (box.closest('.card') ?? document.body).getBoundingClientRect().right))
  .concat([...document.querySelectorAll('.table .badge')].filter((box) => box.getBoundingClientRect().height > 28))
  .flatMap((box) => [box, ...[...box.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > innerWidth)])
  .map((box) => box.tagName + '.' + (box.getAttribute('class') ?? '') + ' ' + box.textContent.slice(0, 30))`;

describe.each([1440, 1024, 768, 390, 320])("at %i pixels", (width) => {
  const views = [
    // the reference shows no names of the authority
    ...viewIds.filter((id) => !["start", "api"].includes(id)),
    "certificates?match=any",
    "role",
    "revocation/ocsp",
    "revocation/urls",
    "revocation/tidy",
  ];
  it.each(views)(
    "the longest names stay inside the view %s without being truncated",
    async (view) => {
      const { page, complaints } = window;
      await page.setViewportSize({ width, height: 900 });
      const role = "r".repeat(120);
      const hash = {
        certificate: `certificates/${serials.get("long")}`,
        authorities: `authorities/${issuers[0]}`,
        role: `roles/${role}`,
        issue: `issue/any?name=${longest}`,
      };
      await show(hash[view as keyof typeof hash] ?? view);
      expect(await page.evaluate(sideways)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );
});

it("deceptive names are explained: mixed scripts, punycode in both forms, bidirectional controls as escapes", async () => {
  const { page } = window;
  await page.setViewportSize({ width: 1280, height: 900 });
  await show(`certificates/${serials.get("mixed")}`);
  await page.getByText("mixes letters from several scripts").waitFor();
  await show(`certificates/${serials.get("idn")}`);
  await page.getByText("xn--bcher-kva.example reads bücher.example", { exact: true }).waitFor();
  await show(`certificates/${serials.get("turned")}`);
  await page.getByRole("heading", { level: 1, name: "‹U+202E›gnp.exe" }).waitFor();
  expect(await page.evaluate("document.documentElement.outerHTML")).not.toContain("\u202e");
});

it("a CA that expires within a day is still visible on the ten-year axis", async () => {
  const { page } = window;
  await page.setViewportSize({ width: 1280, height: 900 });
  await show("overview");
  const row = page.getByRole("row").filter({ hasText: "LongLong" });
  expect(
    (await row.locator(".span-bar rect").last().boundingBox())?.width ?? 0,
  ).toBeGreaterThanOrEqual(3);
});
