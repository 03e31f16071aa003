import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { generateSource } from "oazapfts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCa, memoryStore, type Identity } from "../../src/index.ts";
import { varsApi } from "../../src/vars/index.ts";
import { root } from "../support/syntax.ts";

/** A program that uses a client generated from docs/openapi.json. */
const program = `import * as ca from "./client.ts";

export async function used(fetch: typeof globalThis.fetch) {
  Object.assign(ca.defaults, { fetch, headers: { "X-Service-Token": "root" } });
  const authority = await ca.generateRoot({
    common_name: "Generated Root",
    key_type: "ec",
    ttl: "87600h",
  });
  if (authority.status !== 200) throw new Error(authority.data.errors.join());
  await ca.writeRole("web", { allowed_domains: ["example.com"], allow_subdomains: true });
  const made = await ca.issue("web", { common_name: "www.example.com" });
  if (made.status !== 200) throw new Error(made.data.errors.join());
  const listed = await ca.listCerts({ list: "true" });
  if (listed.status !== 200) throw new Error(listed.data.errors.join());
  const refused = await ca.issue("web", { common_name: "www.example.org" });
  const own = { headers: { Authorization: "Bearer variables" } };
  const organizations = await ca.listOrganizations({}, own);
  if (organizations.status !== 200) throw new Error(organizations.data.errors?.[0]?.title);
  return {
    serial: made.data.data.serial_number,
    keys: listed.data.data.keys,
    refused: refused.status === 400 ? refused.data.errors : [],
    organizations: organizations.data.data.length,
  };
}

export const wrong = [
  // @ts-expect-error -- a closed set
  () => ca.generateRoot({ common_name: "a", key_type: "banana" }),
  // @ts-expect-error -- no such member
  () => ca.issue("web", { comon_name: "a" }),
  // @ts-expect-error -- a name is demanded
  () => ca.readRole(),
];
`;
const settings = {
  compilerOptions: {
    target: "ES2023",
    module: "NodeNext",
    lib: ["ES2023", "DOM"],
    types: [],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  },
  include: ["*.ts"],
};

describe("a client generated from docs/openapi.json", () => {
  let folder = "";
  beforeAll(async () => {
    // below the project, so that the client finds its runtime
    mkdirSync(join(root, "dist"), { recursive: true });
    folder = mkdtempSync(join(root, "dist/generated-"));
    const source = await generateSource(join(root, "docs/openapi.json"), {});
    writeFileSync(join(folder, "client.ts"), source);
    writeFileSync(join(folder, "program.ts"), program);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("has types that accept valid input and reject invalid input", async () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", folder]).catch(
      (error: { readonly stdout: string }) => error,
    );
    expect(stdout).toBe("");
  });

  it("issues a certificate, lists it, and returns the error of a rejected request", async () => {
    const owner: Identity = { id: "root", policies: ["root"], can: () => true };
    const ca = createCa({
      stores: memoryStore(),
      authenticate: async (token) => (token === "root" ? owner : undefined),
      apis: [varsApi],
      vars: { token: "variables" },
    });
    const { used } = (await import(
      /* @vite-ignore */ pathToFileURL(join(folder, "program.ts")).href
    )) as {
      readonly used: (fetch: typeof globalThis.fetch) => Promise<Readonly<Record<string, unknown>>>;
    };
    const { serial, keys, refused, organizations } = await used(async (input, init) =>
      ca.fetch(new Request(input, init)),
    );
    expect(keys).toContain(serial);
    expect(refused).toEqual([expect.stringContaining("www.example.org")]);
    expect(organizations).toBeGreaterThan(0);
  });
});
