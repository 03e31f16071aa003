import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { restoreAll, saveAll } from "../../server/cli/backup-set.ts";
import { run } from "../../server/cli/commands.ts";
import type { Source } from "../../server/client/mount-backup.ts";
import { startServer, temporaryDirectory, type RunningServer } from "../support/server.ts";
import { apiOf, makeAuthority } from "./api.ts";

const ending: (() => Promise<unknown>)[] = [];
let said: string[] = [];
const log = (sentence: string): void => void said.push(sentence);
afterEach(async () => {
  vi.restoreAllMocks();
  for (const end of ending.splice(0)) await end();
});

const varsToken = "v.token-of-the-first-user";
const env = { SEALING_KEY: Buffer.alloc(32, 7).toString("base64"), VARS_TOKEN: varsToken };
const begun = async (secrets: object = {}): Promise<RunningServer> => {
  const server = await startServer({ env: { ...env, ...secrets } });
  ending.push(() => server.stop());
  return server;
};
const sourceOf = ({ url, token }: RunningServer): Source => ({ target: new URL(url), token });
/** Calls the variables API. */
async function vars({ url }: RunningServer, method: string, path: string, body?: unknown) {
  const response = await fetch(`${url}/api/v2/${path}`, {
    method,
    headers: { authorization: `Bearer ${varsToken}`, "content-type": "application/vnd.api+json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, text: text.replaceAll(url, "") };
}
const workspaces = "organizations/default/workspaces";
const asPolicy = (text: string) => ({ policy: text });

it("backup --all saves a running server, and restore --all restores it into an empty one", async () => {
  vi.spyOn(console, "error").mockImplementation((text: unknown) => void said.push(String(text)));
  const a = await begun();
  const api = apiOf(a);
  await makeAuthority(api);
  await api("POST", "sys/mounts/other/ca", { type: "pki" });
  await api(
    "PUT",
    "sys/policies/acl/reader",
    asPolicy('path "pki/cert/*" { capabilities = ["read"] }'),
  );
  const made = await api("POST", "auth/token/create", { policies: ["reader"] });
  const { client_token: reader = "" } = made.json["auth"] as Record<string, string>;
  const leaf = await api("POST", "pki/issue/web", { common_name: "www.example.com" });
  const serial = leaf.data["serial_number"] ?? "";
  const space = { data: { type: "workspaces", attributes: { name: "w" } } };
  expect((await vars(a, "POST", workspaces, space)).status).toBe(201);

  const kept = temporaryDirectory();
  const set = join(kept, "set");
  expect([await saveAll(sourceOf(a), set, log), said.at(-1)]).toEqual([
    0,
    `Saved everything except the sealing key to ${set}. Keep a copy of the key elsewhere: no backup can be restored without it.`,
  ]);
  const files = ["mount-other%2Fca.ndjson", "mount-pki.ndjson"];
  expect(readdirSync(set).toSorted()).toEqual([...files, "store-sys.ndjson", "store-vars.ndjson"]);
  for (const file of readdirSync(set)) {
    expect(statSync(join(set, file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(set, file), "utf8")).not.toContain(reader);
  }
  // a failed backup leaves no files behind
  const torn = join(kept, "torn");
  expect(await saveAll({ ...sourceOf(a), token: "none" }, torn, log)).toBe(4);
  expect(readdirSync(kept)).toEqual(["set"]);
  await expect(saveAll(sourceOf(a), set, log)).rejects.toThrow("is not empty");
  // restoring into the server that was backed up is refused
  said = [];
  expect([await restoreAll(sourceOf(a), set, { dryRun: false, log }), said[0]]).toEqual([
    4,
    expect.stringMatching(
      /: store-sys.ndjson: .* is in use: restore into.*Nothing was stored\. Start a server without TLS whose new data directory contains only sealing-key, the sealing key of the backup, and repeat the command\.$/,
    ),
  ]);
  const other = { SEALING_KEY: Buffer.alloc(32, 8).toString("base64") };
  const foreign = await begun(other);
  said = [];
  expect([await restoreAll(sourceOf(foreign), set, { dryRun: true, log }), said[0]]).toEqual([
    4,
    expect.stringMatching(/ wrong sealing key .*Nothing was stored\. Start a server without TLS /),
  ]);
  const file = join(set, "mount-pki.ndjson");
  const program = { page: () => Promise.reject(new TypeError()), version: "1.2.3" };
  const words = ["restore", "--file", file, "--dry-run", "--address", foreign.url];
  said = [];
  expect([await run(words, program, { SEALWRIGHT_TOKEN: foreign.token }), said[0]]).toEqual([
    4,
    expect.stringMatching(
      / wrong sealing key .*Nothing was stored\. Set the sealing key of the backup as SEALING_KEY_PREVIOUS, restart the server, and repeat the command\.$/,
    ),
  ]);
  const both = await begun({ ...other, SEALING_KEY_PREVIOUS: env.SEALING_KEY });
  words[words.length - 1] = both.url;
  expect(await run(words, program, { SEALWRIGHT_TOKEN: both.token })).toBe(0);

  const b = await begun();
  const at = apiOf(b);
  // these calls do not count as use of the server
  expect((await vars(b, "GET", workspaces)).status).toBe(200);
  expect((await at("GET", "sys/mounts")).status).toBe(200);
  const [first = ""] = files;
  const bytes = readFileSync(join(set, first));
  rmSync(join(set, first));
  await expect(restoreAll(sourceOf(b), set, { dryRun: false, log })).rejects.toThrow(
    `${set} is not a complete backup: it lacks ${first}.`,
  );
  writeFileSync(
    join(set, first),
    bytes.map((byte, i) => (i === 900 ? byte ^ 1 : byte)),
  );
  expect(await restoreAll(sourceOf(b), set, { dryRun: false, log })).toBe(4);
  writeFileSync(join(set, first), bytes);
  expect(await restoreAll(sourceOf(b), set, { dryRun: true, log })).toBe(0);
  expect((await at("GET", `pki/cert/${serial}`)).status).toBe(404);

  expect([await restoreAll(sourceOf(b), set, { dryRun: false, log }), said.at(-1)]).toEqual([
    0,
    `Restored everything from ${set}.`,
  ]);
  const asReader = apiOf({ url: b.url, token: reader });
  const read = await asReader("GET", `pki/cert/${serial}`);
  expect(read.data["certificate"]).toBe(leaf.data["certificate"]);
  expect((await asReader("GET", "sys/mounts")).status).toBe(403);
  expect((await at("POST", "pki/issue/web", { common_name: "b.example.com" })).status).toBe(200);
  expect((await at("GET", "sys/mounts")).text).toContain("other/ca/");
  expect((await vars(b, "GET", workspaces)).text).toBe((await vars(a, "GET", workspaces)).text);
  expect((await at("GET", "sys/health")).json["degraded"]).toBeUndefined();
  // restore --all can be repeated, as after an interruption
  expect(await restoreAll(sourceOf(b), set, { dryRun: false, log })).toBe(0);
});
