import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Locator } from "playwright";
import { remote, type Remote } from "./remote.ts";
import { host, openDevCa, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window;
let authority: Remote;
const folder = mkdtempSync(join(tmpdir(), "sealwright-reference-"));
beforeAll(async () => {
  at = await host();
  authority = await remote([]);
  // A curl configuration must not affect the printed command.
  writeFileSync(join(folder, ".curlrc"), 'silent\nmax-time = 20\nwrite-out = "\\n%{http_code}"\n');
  window = await openDevCa(at);
  await window.page.evaluate("location.hash = '#/api'");
  await rows().first().waitFor();
});
afterAll(async () => {
  expect(window.complaints).toEqual([]);
  await window.context.close();
  await authority.close();
  await at.close();
  rmSync(folder, { recursive: true, force: true });
});

const rows = (): Locator => window.page.locator(".calls > li");
/** Returns the call of each row, as `<verb> <path>`. */
const shownCalls = (): Promise<readonly string[]> =>
  rows().evaluateAll((items) =>
    items.map((item) =>
      ["summary .verb", "summary code"]
        .map((part) => item.querySelector(part)?.textContent ?? "")
        .join(" "),
    ),
  );
/** Returns the number of rows that have an element with exactly this text. */
const countRowsWith = (text: string): Promise<number> =>
  rows().evaluateAll(
    (items, sought) =>
      items.filter((item) =>
        [...item.querySelectorAll("*")].some(({ textContent }) => textContent?.trim() === sought),
      ).length,
    text,
  );
/** Returns the only row of a call. Locators by text would search forty thousand elements. */
async function row(verb: string, path: string): Promise<Locator> {
  const all = await shownCalls();
  const call = `${verb} ${path}`;
  expect(all.filter((one) => one === call)).toEqual([call]);
  return rows().nth(all.indexOf(call));
}
/** Opens the row of a call. */
async function opened(verb: string, path: string): Promise<Locator> {
  const found = await row(verb, path);
  await found.locator("summary").first().click();
  return found;
}
const curlOf = async (of: Locator): Promise<string> =>
  (await of.locator("pre").first().textContent()) ?? "";

/** Replaces each placeholder of a printed command with a value. */
const filled = (command: string): string =>
  command
    .replace("/:serial", "/01")
    .replace("/:shard", "/4-1")
    .replace("/:key_id", "/00000000-0000-4000-8000-000000000000")
    .replace(/\/:\w+/g, "/some");

interface Result {
  readonly status: number;
  readonly body: string;
}

/** Runs printed commands one after the other in one shell: this large process forks slowly. */
async function runAll(commands: readonly string[]): Promise<readonly Result[]> {
  const env = {
    PATH: process.env["PATH"],
    CURL_HOME: folder,
    SEALWRIGHT: authority.base,
    TOKEN: authority.token,
  };
  const end = `end of a command ${crypto.randomUUID()}`;
  const script = commands.map((command) => `${filled(command)}\nprintf '${end}'`).join("\n");
  const { stdout } = await promisify(execFile)("sh", ["-ec", script], {
    env,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const outputs = stdout.split(end).slice(0, -1);
  expect(outputs.length).toBe(commands.length);
  return outputs.map((output) => {
    const line = output.lastIndexOf("\n");
    return { status: Number(output.slice(line + 1)), body: output.slice(0, line) };
  });
}

async function run(command: string): Promise<Result> {
  const [result] = await runAll([command]);
  if (!result) throw new Error(`no output of ${command}`);
  return result;
}

it("every command in the reference reaches the call of its row unchanged", async () => {
  const calls = await shownCalls();
  const commands = await rows().evaluateAll((items) =>
    items.map((item) => item.querySelector("pre")?.textContent ?? ""),
  );
  expect(calls.length).toBeGreaterThan(80);
  const results = await runAll(commands);
  const lost: string[] = [];
  for (const [at, call] of calls.entries()) {
    const command = commands[at] ?? "";
    const { status, body } = results[at] ?? { status: 0, body: "" };
    // Placeholder values may be rejected, but not path, method, media type or token.
    const isOfValue = /"(bad token|invalid accessor)"|preflight capability check/.test(body);
    if (
      (!isOfValue && [0, 403, 405, 415].includes(status)) ||
      /unsupported path|PATCH requires/.test(body)
    )
      lost.push(`${call}: ${status} ${body}`);
    const [, path = ""] = call.split(" ");
    if (!command.split(/["\s?]/).includes(`$SEALWRIGHT${path}`)) lost.push(`${call}: ${command}`);
  }
  expect(lost).toEqual([]);
});

it("the command for a call outside mounts contains its path", async () => {
  const command = await curlOf(await row("GET", "/v1/sys/seal-status"));
  expect(command).toContain("$SEALWRIGHT/v1/sys/seal-status");
  expect(await run(command)).toMatchObject({
    status: 200,
    body: expect.stringContaining('"sealed":false'),
  });
});

it("the command for a PATCH contains the media type of its body", async () => {
  const call = await opened("PATCH", "/v1/pki/roles/:name");
  expect(await curlOf(call)).toContain('-H "Content-Type: application/merge-patch+json"');
  await run(
    `curl -H "X-Service-Token: $TOKEN" $SEALWRIGHT/v1/pki/roles/some -d '{"allow_any_name": true}'`,
  );
  expect(await run(await curlOf(call))).toMatchObject({ status: 200 });
});

it("API names are formatted as code, and no command sends an empty document", async () => {
  const texts = await rows().evaluateAll((items) =>
    items.flatMap((item) =>
      [...item.querySelectorAll("summary, td")].map((part) => part.textContent ?? ""),
    ),
  );
  expect(texts.filter((text) => text.includes("`"))).toEqual([]);
  const commands = await rows().locator("pre").allTextContents();
  expect(commands.filter((command) => /-d '\{\s*\}'/.test(command))).toEqual([]);
});

it("a search by words shows the best call first", async () => {
  const field = window.page.getByLabel("Filter by path or words");
  const first = rows().first().locator("summary code").first();
  const count = await rows().count();
  await field.fill("revoke a certificate");
  await expect.poll(() => first.textContent()).toBe("/v1/pki/revoke");
  await field.fill("");
  await expect.poll(() => rows().count()).toBe(count);
});

it("a call is sent with the current token: a dry run at once, a change after confirmation, and the reply is shown", async () => {
  const { page } = window;
  const call = await opened("POST", "/v1/pki/issue/:role");
  await call.getByText("Send from here").click();
  const send = call.getByRole("button", { name: "Send…" });
  await send.click();
  await call.getByText("Required").waitFor();
  await call.getByLabel("role", { exact: true }).fill("dev-server");
  await call.getByLabel("Body").fill('{ "common_name": "sent.dev.test" }');
  await call.getByRole("button", { name: "Dry run" }).click();
  await call.getByRole("status").getByText('"would_issue": true').waitFor();
  await call.getByText(/^Dry run: nothing was changed\. Status 200 after \d+ ms\.$/).waitFor();
  await call.getByText(/^The response contains a private key/).waitFor();
  await send.click();
  // locators by role and text would search the whole reference
  const dialog = page.locator("dialog[open]");
  await dialog.getByRole("heading", { name: "Send this request?" }).waitFor();
  await dialog.getByText("POST /v1/pki/issue/dev-server").waitFor();
  await dialog.getByText(/^The response contains a private key/).waitFor();
  await dialog.getByRole("button", { name: "Send" }).click();
  await call.getByRole("status").getByText('"serial_number"').waitFor();
  await call.getByLabel("role", { exact: true }).fill("no-such-role");
  await send.click();
  await dialog.getByRole("button", { name: "Send" }).click();
  await call.getByText(/^Status 400 after \d+ ms\.$/).waitFor();
});

it("a command without a body, or with a JSON body, names no media type", async () => {
  for (const [verb, path] of [
    ["POST", "/v1/pki/issue/:role"],
    ["GET", "/v1/pki/config/urls"],
  ] as const)
    expect(await curlOf(await row(verb, path))).not.toContain("Content-Type");
});

it("a list command uses the query that Workers accept, quoted for the shell", async () => {
  expect(await curlOf(await row("LIST", "/v1/pki/roles"))).toContain(
    '"$SEALWRIGHT/v1/pki/roles?list=true"',
  );
  await run(
    `curl -H "X-Service-Token: $TOKEN" $SEALWRIGHT/v1/pki/roles/some -d '{"allow_any_name": true}'`,
  );
  const { status, body } = await run(await curlOf(await row("LIST", "/v1/pki/roles")));
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ data: { keys: ["some"] } });
});

it("query parameters of a call are shown with type and meaning", async () => {
  const listing = (await opened("LIST", "/v1/pki/certs")).getByRole("table", { name: "Fields" });
  const limit = listing
    .getByRole("row")
    .filter({ has: window.page.getByText("limit", { exact: true }) });
  expect(await limit.innerText()).toMatch(
    /limit\s+integer\s+Maximum number of entries to return; 0 means all\./,
  );
  expect(await listing.getByRole("columnheader").allInnerTexts()).toEqual([
    "Query field",
    "Type",
    "Meaning",
  ]);
  // `list=true` encodes the method; it is not an option.
  expect(await listing.locator("tbody code").first().innerText()).toBe("after");
  const health = (await opened("GET", "/v1/sys/health")).getByRole("table", { name: "Fields" });
  expect(
    await health.getByText("Status code of the response, 200 to 599; by default 200.").isVisible(),
  ).toBe(true);
  const search = (await opened("LIST", "/v1/pki/certs/search")).getByRole("table", {
    name: "Fields",
  });
  expect(await search.locator("tbody td:first-child").allInnerTexts()).toEqual(
    expect.arrayContaining(["name", "issuer", "not_after_from", "cursor"]),
  );
});

it("the members of a response are shown below the call, collapsed until opened", async () => {
  const call = await opened("LIST", "/v1/pki/issuers");
  const reply = call.getByRole("table", { name: "Response" });
  expect(await reply.isVisible()).toBe(false);
  await call.getByText("Response", { exact: true }).click();
  const keys = reply
    .getByRole("row")
    .filter({ has: window.page.getByText("data.keys", { exact: true }) });
  expect(await keys.innerText()).toMatch(/data\.keys\s+list of string\s+\S/);
  const name = reply
    .getByRole("row")
    .filter({ has: window.page.getByText("data.key_info.*.issuer_name", { exact: true }) });
  expect(await name.innerText()).toContain("Name of the issuer, or empty if it has none.");
});

it("the response envelope is shown once instead of for each call", async () => {
  // locators by role and text would search the whole reference
  const folded = window.page.locator("main details:not(.calls details)");
  await folded.getByText("Response envelope", { exact: true }).click();
  const around = folded.getByRole("table", { name: "Response envelope" });
  expect(await around.locator("tbody td:first-child").allInnerTexts()).toEqual(
    expect.arrayContaining(["request_id", "warnings", "wrap_info.token"]),
  );
  expect(await countRowsWith("request_id")).toBe(0);
});

it("a call that wraps its response shows wrap_info instead of data", async () => {
  const call = await opened("POST", "/v1/sys/wrapping/rewrap");
  await call.getByText("Response", { exact: true }).click();
  const names = await call
    .getByRole("table", { name: "Response" })
    .locator("tbody td:first-child")
    .allInnerTexts();
  expect(names).toContain("wrap_info.token");
  expect(names).not.toContain("data");
});

it("a call that returns bytes or no content says so instead of listing members", async () => {
  expect(
    await (
      await opened("GET", "/v1/pki/ca/pem")
    )
      .getByText("Success: 200 The bytes; 204 No content")
      .isVisible(),
  ).toBe(true);
  const none = await opened("DELETE", "/v1/pki/roles/:name");
  expect(await none.getByText(/^Success: .*204 Done$/).isVisible()).toBe(true);
  expect(await none.getByText("Response", { exact: true }).count()).toBe(0);
});

it("a public call is marked as such and its command sends no token; every other command does", async () => {
  const open = await countRowsWith("no token");
  expect(open).toBeGreaterThan(10);
  const texts = await rows().evaluateAll((items) => items.map(({ textContent }) => textContent));
  expect(open).toBe(texts.filter((text) => !text?.includes("X-Service-Token")).length);
  const openCall = await row("GET", "/v1/pki/ca_chain");
  expect(await openCall.getByText("no token", { exact: true }).count()).toBe(1);
  expect(await curlOf(openCall)).not.toContain("X-Service-Token");
  const guarded = await row("LIST", "/v1/pki/roles");
  expect(await guarded.getByText("no token", { exact: true }).count()).toBe(0);
  expect(await curlOf(guarded)).toContain('-H "X-Service-Token: $TOKEN"');
});
