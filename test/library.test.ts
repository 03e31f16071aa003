import { expect, it } from "vitest";
import { nodeCrypto } from "../src/node/index.ts";
import { createCa, memoryStore, newMeter, sealedVault, type CaOptions } from "../src/index.ts";

const misuse = (options: unknown) => () => createCa(options as CaOptions);

it("createCa without a store throws a TypeError that asks for one", () => {
  for (const options of [
    undefined,
    null,
    {},
    { stores: null },
    { stores: {} },
    { stores: "memory" },
  ])
    expect(misuse(options)).toThrow(
      new TypeError(
        "createCa requires `stores`: memoryStore(), indexedDbStore(name), or a function from a name to its store",
      ),
    );
});

it("a malformed sealing key, such as null, throws a TypeError", () => {
  for (const sealingKey of [null, "x".repeat(32), {}, [], new Uint8Array(31)])
    expect(misuse({ stores: memoryStore(), sealingKey })).toThrow(TypeError);
  expect(() => sealedVault({ key: undefined as unknown as Uint8Array })).toThrow(TypeError);
});

it("an undefined option has its default value", async () => {
  const nothing = {
    now: undefined,
    random: undefined,
    vault: undefined,
    authenticate: undefined,
    apis: undefined,
    log: undefined,
    publicUrl: undefined,
  };
  const ca = createCa({
    stores: memoryStore(),
    sealingKey: undefined,
    ...nothing,
  } as unknown as CaOptions);
  expect(
    (await ca.pki.generateRoot({ common_name: "Root", key_type: "ec" })).certificate,
  ).toContain("BEGIN CERTIFICATE");
  const request = new Request("http://ca.test/v1/pki/roles?list=true", {
    headers: { "X-Service-Token": "x" },
  });
  expect((await ca.fetch(request)).status).toBe(403);
});

it("a public URL with a trailing slash results in the same paths", async () => {
  const ca = createCa({ stores: memoryStore(), publicUrl: "https://ca.example/" });
  expect((await ca.pki.readCluster({})).path).toBe("https://ca.example/v1/pki");
});

/** A value for each option; the compiler reports missing ones. */
const every: Readonly<Record<keyof CaOptions, unknown>> = {
  stores: memoryStore(),
  sealingKey: new Uint8Array(32),
  vault: undefined,
  crypto: nodeCrypto,
  chainChecks: true,
  events: () => undefined,
  acme: {
    requireEab: false,
    accountLimit: 1,
    limitPrivate: true,
    privateNetworks: true,
    connections: 1,
    httpPort: 1,
    tlsPort: 2,
  } satisfies Required<NonNullable<CaOptions["acme"]>>,
  vars: {
    token: "0123456789abcdef",
    strict: true,
    rateLimit: 0,
    categorySpelling: "echo",
  } satisfies Required<NonNullable<CaOptions["vars"]>>,
  audit: true,
  apis: [],
  now: () => 0,
  random: () => new Uint8Array(0),
  authenticate: async () => undefined,
  publish: {},
  log: () => {},
  logFrom: 500,
  meter: newMeter(),
  server: { version: "1.2.3", started: 0 },
  once: async () => {},
  wake: () => {},
  dial: async () => {},
  resolve: async () => [],
  fetch: () => {},
  services: () => undefined,
  externalPolicy: async () => ({}),
  challenger: async () => {},
  publicUrl: "http://ca.example",
};
it("an unknown option throws an error that lists the known ones", () => {
  expect(misuse(every)).not.toThrow();
  expect(misuse({ ...every, vault: {} })).not.toThrow();
  const stores = memoryStore();
  expect(misuse({ stores, chainCheck: false, publicURL: "http://ca.example" })).toThrow(
    /^createCa: unknown option chainCheck, publicURL; known options: stores, .*\bchainChecks\b/,
  );
  expect(misuse({ stores, acme: { privateNetwork: true } })).toThrow(
    "`acme` of createCa: unknown option privateNetwork",
  );
  expect(misuse({ stores, vars: { ratelimit: 1 } })).toThrow(
    "`vars` of createCa: unknown option ratelimit",
  );
  // an unknown option whose value is undefined is ignored
  expect(misuse({ stores, publicURL: undefined })).not.toThrow();
});
