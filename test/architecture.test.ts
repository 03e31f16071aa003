import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { refusals } from "../src/base/errors.ts";
import { endpointLists, logins } from "../src/endpoints/all.ts";
import type { AnyEndpoint } from "../src/wire/endpoint.ts";
import { expandPatterns } from "../src/wire/route-patterns.ts";
import { filesBelow, root, linksOf, sourceOf, type Import, type Source } from "./support/syntax.ts";

const src = filesBelow("src", ".ts").map(sourceOf);
const worker = filesBelow("worker", ".ts").map(sourceOf);
const server = filesBelow("server", ".ts").map(sourceOf);
const demo = filesBelow("demo", ".ts", ".tsx").map(sourceOf);
const endpoints: readonly AnyEndpoint[] = Object.values(endpointLists).flat();

/** The parts of `src/` that every type of login method may import. */
const importsOfLogins = ["auth/method", "auth/rows", "auth/types", "base", "engine", "wire"];
/** The parts that some types of login methods may import in addition. */
const furtherImportsOfLogins: Readonly<Record<string, readonly string[]>> = {
  cert: ["net", "pki/rows", "x509"],
  jwt: ["jose", "net", "x509"],
  kubernetes: ["auth/jwt", "jose", "net"],
};
/**
 * Each part of `src/` and what it may import; `type` lists what it may import for its types only. A
 * part may always import itself.
 */
const parts: Readonly<
  Record<string, { readonly from: readonly string[]; readonly type?: readonly string[] }>
> = {
  base: { from: [] },
  client: { from: ["base"] },
  algorithms: { from: ["base"] },
  "pki/rows": { from: ["base", "engine"], type: ["algorithms"] },
  "external/rows": { from: ["engine", "pki/rows"] },
  engine: { from: ["base"], type: ["algorithms"] },
  "log/tree": { from: ["base", "verify", "x509"] },
  "log/rows": { from: ["base", "engine", "log/tree", "pki/rows"] },
  log: {
    from: ["base", "engine", "keys", "log/rows", "log/tree", "net", "pki/rows", "wire", "x509"],
  },
  store: { from: ["base", "engine"] },
  conformance: { from: ["base"], type: ["engine"] },
  x509: { from: ["algorithms", "base"] },
  archive: { from: ["base", "x509"] },
  describe: { from: ["algorithms", "base", "x509"] },
  lint: { from: ["algorithms", "base", "x509"] },
  verify: { from: ["algorithms", "base", "x509"] },
  keys: { from: ["algorithms", "base", "x509"], type: ["engine"] },
  net: { from: ["algorithms", "base", "x509"], type: ["engine"] },
  jose: { from: ["algorithms", "base", "x509"] },
  managed: { from: ["algorithms", "base", "engine", "keys", "net", "pki/rows", "x509"] },
  node: { from: ["base", "net", "store", "x509"], type: ["client", "engine", "wire"] },
  postgres: { from: ["base", "store"], type: ["engine"] },
  policy: { from: ["base", "engine"] },
  wire: { from: ["base", "client", "engine"], type: ["auth/rows"] },
  events: { from: ["base", "engine", "net", "pki/rows"] },
  "pki/request": {
    from: ["algorithms", "archive", "base", "wire", "x509"],
    type: ["engine", "pki/rows"],
  },
  "pki/issuer": {
    from: [
      "log/rows",
      "base",
      "engine",
      "events",
      "keys",
      "managed",
      "pki/request",
      "pki/rows",
      "wire",
      "x509",
    ],
  },
  "pki/leaf": {
    from: [
      "acme/rows",
      "algorithms",
      "base",
      "engine",
      "events",
      "keys",
      "lint",
      "pki/issuer",
      "pki/request",
      "pki/rows",
      "wire",
      "x509",
    ],
  },
  "pki/crl": {
    from: ["log/rows", "base", "engine", "events", "pki/issuer", "pki/rows", "wire", "x509"],
  },
  "pki/revoke": {
    from: [
      "base",
      "engine",
      "events",
      "keys",
      "pki/crl",
      "pki/issuer",
      "pki/request",
      "pki/rows",
      "wire",
      "x509",
    ],
  },
  "pki/ocsp": {
    from: [
      "algorithms",
      "base",
      "engine",
      "keys",
      "managed",
      "pki/crl",
      "pki/issuer",
      "pki/request",
      "pki/rows",
      "wire",
      "x509",
    ],
  },
  "pki/ca": {
    from: [
      "log/rows",
      "algorithms",
      "archive",
      "base",
      "engine",
      "events",
      "keys",
      "managed",
      "pki/crl",
      "pki/issuer",
      "pki/leaf",
      "pki/request",
      "pki/revoke",
      "pki/rows",
      "wire",
      "x509",
    ],
  },
  "acme/rows": { from: ["base", "engine", "pki/rows"] },
  "pki/tidy": {
    from: [
      "acme/rows",
      "base",
      "engine",
      "pki/crl",
      "pki/issuer",
      "pki/revoke",
      "pki/rows",
      "wire",
      "x509",
    ],
  },
  "pki/expiry": {
    from: ["base", "engine", "events", "pki/issuer", "pki/request", "pki/rows", "x509"],
  },
  "pki/config": {
    from: [
      "log/rows",
      "acme/rows",
      "base",
      "engine",
      "events",
      "external/rows",
      "pki/crl",
      "pki/issuer",
      "pki/ocsp",
      "pki/revoke",
      "pki/rows",
      "pki/tidy",
      "wire",
    ],
  },
  external: {
    from: [
      "base",
      "engine",
      "external/rows",
      "keys",
      "net",
      "pki/issuer",
      "pki/rows",
      "wire",
      "x509",
    ],
  },
  "external/issue": {
    from: [
      "algorithms",
      "base",
      "engine",
      "external",
      "external/rows",
      "keys",
      "pki/ca",
      "pki/issuer",
      "pki/leaf",
      "pki/request",
      "pki/rows",
      "wire",
      "x509",
    ],
  },
  "acme/config": {
    from: [
      "acme/attestation",
      "acme/protocol",
      "acme/rows",
      "acme/validation",
      "base",
      "engine",
      "external/rows",
      "pki/issuer",
      "pki/leaf",
      "pki/rows",
      "wire",
      "x509",
    ],
  },
  "acme/attestation": { from: ["acme/rows", "base", "verify", "x509"] },
  "acme/validation": {
    from: [
      "acme/attestation",
      "acme/protocol",
      "acme/rows",
      "base",
      "engine",
      "events",
      "net",
      "wire",
      "x509",
    ],
  },
  "pki/lookup": {
    from: [
      "log",
      "log/rows",
      "algorithms",
      "base",
      "engine",
      "pki/crl",
      "pki/issuer",
      "pki/request",
      "pki/revoke",
      "pki/rows",
      "wire",
      "x509",
    ],
  },
  "acme/protocol": {
    from: [
      "acme/rows",
      "base",
      "engine",
      "external/rows",
      "jose",
      "pki/issuer",
      "pki/leaf",
      "pki/rows",
      "wire",
      "x509",
    ],
    type: ["external/issue"],
  },
  "acme/account": {
    from: [
      "acme/order",
      "acme/protocol",
      "acme/rows",
      "base",
      "engine",
      "jose",
      "pki/request",
      "wire",
    ],
  },
  "acme/order": {
    from: [
      "acme/attestation",
      "acme/protocol",
      "acme/rows",
      "acme/validation",
      "base",
      "engine",
      "external/issue",
      "jose",
      "pki/crl",
      "pki/issuer",
      "pki/leaf",
      "pki/request",
      "pki/revoke",
      "pki/rows",
      "wire",
      "x509",
    ],
    type: ["external/rows"],
  },
  est: {
    from: [
      "acme/rows",
      "archive",
      "auth/approle",
      "auth/cert",
      "auth/method",
      "auth/rows",
      "auth/userpass",
      "base",
      "engine",
      "pki/issuer",
      "pki/leaf",
      "pki/request",
      "pki/rows",
      "wire",
      "x509",
    ],
  },
  "auth/rows": { from: ["base", "engine"] },
  "auth/entity": { from: ["auth/rows", "base", "engine", "wire"] },
  "auth/token": { from: ["auth/entity", "auth/rows", "base", "engine", "policy", "wire", "x509"] },
  mounts: { from: ["base", "wire"], type: ["auth/rows", "engine"] },
  "auth/types": { from: [] },
  quota: { from: ["auth/rows", "auth/types", "base", "engine", "wire"] },
  sys: {
    from: [
      "auth/rows",
      "auth/token",
      "auth/types",
      "base",
      "engine",
      "events",
      "keys",
      "managed",
      "mounts",
      "net",
      "pki/rows",
      "policy",
      "quota",
      "wire",
      "x509",
    ],
  },
  ...Object.fromEntries(
    Object.keys(logins).map((type) => [
      `auth/${type}`,
      { from: [...importsOfLogins, ...(furtherImportsOfLogins[type] ?? [])] },
    ]),
  ),
  "auth/method": {
    from: [
      "auth/entity",
      "auth/rows",
      "auth/token",
      "auth/types",
      "base",
      "engine",
      "mounts",
      "quota",
      "wire",
      "x509",
    ],
  },
  "vars/jsonapi": { from: ["base", "wire"] },
  "vars/rows": { from: ["base", "engine", "vars/jsonapi"] },
  "vars/rights": { from: ["base", "engine", "vars/jsonapi", "vars/rows"] },
  "vars/variables": {
    from: ["base", "engine", "vars/jsonapi", "vars/rights", "vars/rows", "wire"],
  },
  "vars/workspaces": {
    from: [
      "base",
      "vars/jsonapi",
      "vars/organizations",
      "vars/rights",
      "vars/rows",
      "vars/variables",
      "wire",
    ],
    type: ["engine"],
  },
  "vars/organizations": {
    from: ["base", "vars/jsonapi", "vars/rights", "vars/rows", "wire"],
    type: ["engine"],
  },
  "vars/account": {
    from: ["vars/jsonapi", "vars/organizations", "vars/rights", "vars/rows", "wire"],
    type: ["engine"],
  },
  vars: {
    from: [
      "base",
      "client",
      "engine",
      "vars/account",
      "vars/jsonapi",
      "vars/organizations",
      "vars/rows",
      "vars/variables",
      "vars/workspaces",
      "wire",
    ],
  },
  endpoints: {
    from: [
      ...Object.keys(logins).map((type) => `auth/${type}`),
      "log",
      "log/rows",
      "acme/account",
      "acme/config",
      "acme/order",
      "acme/protocol",
      "acme/rows",
      "acme/validation",
      "auth/entity",
      "auth/method",
      "auth/token",
      "auth/types",
      "client",
      "engine",
      "est",
      "events",
      "external",
      "external/issue",
      "external/rows",
      "pki/ca",
      "pki/config",
      "pki/crl",
      "pki/expiry",
      "pki/leaf",
      "pki/lookup",
      "pki/ocsp",
      "pki/request",
      "pki/revoke",
      "pki/tidy",
      "quota",
      "sys",
      "vars",
      "wire",
    ],
    type: ["auth/rows"],
  },
  index: {
    from: [
      "acme/rows",
      "base",
      "client",
      "describe",
      "endpoints",
      "engine",
      "est",
      "events",
      "keys",
      "store",
      "sys",
      "v1",
      "vars",
      "wire",
      "x509",
    ],
    type: ["acme/validation", "external", "external/rows"],
  },
  v1: { from: ["auth/rows", "auth/token", "base", "engine", "quota", "sys", "wire"] },
  host: { from: ["base", "index", "net"], type: ["engine"] },
};
/** Where the packages may be imported; `node:` stands for every module of Node. */
const packages: Readonly<Record<string, RegExp>> = {
  idb: /^(src\/store\/indexeddb[\w-]*\.ts|demo\/)/,
  "@noble/curves": /^src\/algorithms\//,
  "@noble/post-quantum": /^src\/algorithms\/ml-dsa-arithmetic\.ts$/,
  "@noble/hashes":
    /^src\/(algorithms\/|archive\/|(?:base\/hmac|keys\/digest|log\/tree\/hash|verify\/parsed-certificate)\.ts$)/,
  "@jmespath-community/jmespath": /^src\/external\/filter\.ts$/,
  aws4fetch: /^src\/managed\/awskms-remote\.ts$/,
  "@levischuck/tiny-cbor": /^src\/acme\/attestation\/attestation-object\.ts$/,
  "bcrypt-ts": /^src\/auth\/userpass\/bcrypt\.ts$/,
  "cloudflare:sockets": /^worker\/dial\.ts$/,
  "cloudflare:workers": /^worker\//,
  "@cloudflare/workers-types": /^worker\//,
  preact: /^demo\//,
  pg: /^src\/postgres\//,
  esbuild: /^((?:worker|server)\/build\/[\w-]+|demo\/build)\.ts$/,
  rolldown: /^server\/build\/build-modules\.ts$/,
  "node:": /^(src\/node\/|server\/|worker\/build\/|demo\/(build|site)\.ts$)/,
};
/**
 * The parts of `src/` that the Worker and the console may import: the console checks names and
 * constraints with the server's own code.
 */
const outside: Readonly<Record<string, RegExp>> = {
  worker: /^src\/(index|engine\/ports|vars\/index)\.ts$|^src\/(base|host|net|store)\//,
  server:
    /^src\/(acme\/rows\/prefixes|client\/(?:ensure|index)|index|log\/tree\/(?:certificate-list|checkpoint|cosignature|entry|follow|note)|pki\/request\/names|sys\/backup\/part|vars\/index|verify\/index|describe\/describe(?:-others)?|x509\/(?:address|forms))\.ts$|^src\/(base|host|net|node|postgres|store)\//,
  demo: /^src\/((?:auth|managed)\/types\/table|index|host\/page-policy|engine\/(?:ports|audit-records))\.ts$|^src\/(algorithms|archive|base|describe|lint|log\/tree|verify|x509)\/|^src\/(store\/indexeddb|sys\/backup\/part|client\/(?:auth|call|identity|pki|sys|vars)|keys\/(?:generate|read|signer)|pki\/request\/names|vars\/index)\.ts$/,
};

const partOf = (path: string): string =>
  /^src\/((?:acme|auth|external|log|pki|vars)\/\w+(?=\/)|\w+)/.exec(path)?.[1] ?? path;
/**
 * Each room of the console and what it may import of the others; `type` lists what it may import
 * for its types only. The views in `routes` import no other route.
 */
const consoleRooms: Readonly<
  Record<string, { readonly from: readonly string[]; readonly type?: readonly string[] }>
> = {
  lib: { from: [] },
  api: { from: ["lib"] },
  ui: { from: ["api", "lib"] },
  routes: { from: ["api", "lib", "ui"] },
  app: { from: ["api", "lib", "routes", "ui"] },
  sw: { from: ["lib"] },
};
/**
 * Each room of the server, from the lowest, and what it may import of the others; `type` lists what
 * it may import for its types only.
 */
const serverRooms: Readonly<
  Record<string, { readonly from: readonly string[]; readonly type?: readonly string[] }>
> = {
  // environment variables
  settings: { from: [] },
  // requests to a running server
  client: { from: [] },
  // the HTTP server
  http: { from: ["settings"] },
  // the data directory and its databases
  data: { from: ["client", "settings"], type: ["http"] },
  // the processes of a server
  process: { from: ["client", "data", "http", "settings"] },
  // building the package and the console
  build: { from: [] },
  // commands
  cli: { from: ["build", "client", "data", "process", "settings"] },
};
const serverRoom = (path: string): string => /^server\/(\w+)\//.exec(path)?.[1] ?? path;
const consoleRoom = (path: string): string => /^demo\/(\w+)\//.exec(path)?.[1] ?? path;
const routeOf = (path: string): string => /^demo\/routes\/[\w-]+\//.exec(path)?.[0] ?? "";
const isOwn = ({ from }: Pick<Import, "from">): boolean =>
  /^(src|worker|server|demo|test)\//.test(from);
const nameOfPackage = (from: string): string =>
  from.startsWith("node:")
    ? "node:"
    : from.startsWith("@")
      ? from.split("/").slice(0, 2).join("/")
      : (from.split("/")[0] ?? from);
const edges = (sources: readonly Source[]) =>
  sources.flatMap(({ path, imports }) => imports.map((imported) => ({ path, ...imported })));
const told = ({ path, from }: { readonly path: string; readonly from: string }): string =>
  `${path} -> ${from}`;

describe("imports", () => {
  it("each part of src imports only what the dependency rule allows", () => {
    const breaches = edges(src).filter(
      (edge) => isOwn(edge) && !allowed(partOf(edge.path), partOf(edge.from), edge),
    );
    expect(breaches.map(told)).toEqual([]);
  });

  it("the Worker, the server and the console import only public and foundation modules of src", () => {
    const inner = edges([...worker, ...server, ...demo]).filter(
      ({ path, from }) => from.startsWith("src/") && !outside[path.split("/")[0] ?? ""]?.test(from),
    );
    expect(inner.map(told)).toEqual([]);
  });

  it("each room of the console imports only what its rule allows, and no route imports another", () => {
    const breaches = edges(demo).filter(({ path, from, type }) => {
      const [room, of] = [consoleRoom(path), consoleRoom(from)];
      // the scripts that build the page and the documentation belong to no room
      if (!from.startsWith("demo/") || /^demo\/(?:build|site)\.ts$/.test(path)) return false;
      if (room === of) return room === "routes" && routeOf(path) !== routeOf(from);
      const rule = consoleRooms[room];
      return !(rule?.from.includes(of) || (type && rule?.type?.includes(of)));
    });
    expect(breaches.map(told)).toEqual([]);
  });

  it("worker, server and demo import nothing from each other, except the builders of Workers and single scripts", () => {
    const across = edges([...worker, ...server, ...demo]).filter(
      ({ path, from }) =>
        isOwn({ from }) && !from.startsWith("src/") && path.split("/")[0] !== from.split("/")[0],
    );
    // a service worker is one script, like a Worker without modules; the package contains a Worker
    const shared =
      /^(?:demo\/build\.ts worker\/build\/one-script\.ts|server\/build\/\S+ worker\/build\/\S+)$/;
    const foreign = across.filter(({ path, from }) => !shared.test(`${path} ${from}`));
    expect(foreign.map(told)).toEqual([]);
  });

  it("packages are imported only by the files that may use them", () => {
    const foreign = edges([...src, ...worker, ...server, ...demo]).filter(
      (edge) => !isOwn(edge) && !packages[nameOfPackage(edge.from)]?.test(edge.path),
    );
    expect(foreign.map(told)).toEqual([]);
  });

  // modules loaded on first use may import the types of the declaration that loads them
  it.each<[string, (one: Import) => boolean]>([
    ["types included", ({ later }) => !later],
    ["imports on first use included", ({ type }) => !type],
  ])("there are no import cycles, %s", (_, counts) => {
    const loads = new Map(
      [...src, ...worker, ...server, ...demo].map(({ path, imports }) => [
        path,
        imports.filter((one) => isOwn(one) && counts(one)).map(({ from }) => from),
      ]),
    );
    const circles: string[] = [];
    const walk = (path: string, way: readonly string[]): void => {
      if (way.includes(path))
        return void circles.push([...way.slice(way.indexOf(path)), path].join(" -> "));
      for (const from of loads.get(path) ?? []) walk(from, [...way, path]);
      loads.delete(path);
    };
    for (const path of loads.keys()) walk(path, []);
    expect(circles).toEqual([]);
  });

  it("each room of the server imports only what its rule allows", () => {
    const breaches = edges(server).filter(({ path, from, type }) => {
      const [room, of] = [serverRoom(path), serverRoom(from)];
      if (!from.startsWith("server/") || room === of) return false;
      const rule = serverRooms[room];
      return !(rule?.from.includes(of) || (type && rule?.type?.includes(of)));
    });
    expect(breaches.map(told)).toEqual([]);
    const rooms = new Set(server.map(({ path }) => serverRoom(path)));
    expect([...rooms].sort()).toEqual(Object.keys(serverRooms).sort());
  });

  it("rules of the server's rooms name lower rooms only", () => {
    const rooms = Object.keys(serverRooms);
    const upwards = Object.entries(serverRooms).flatMap(([room, { from, type = [] }], floor) =>
      [...from, ...type].flatMap((other) =>
        rooms.slice(0, floor).includes(other) ? [] : [`${room} -> ${other}`],
      ),
    );
    expect(upwards).toEqual([]);
  });
});

function allowed(part: string, from: string, { type }: Import): boolean {
  const rule = parts[part];
  return (
    part === from ||
    rule?.from.includes(from) === true ||
    (type && rule?.type?.includes(from) === true)
  );
}

/** Returns the value that a share of the sorted values does not exceed. */
const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

/** Returns the exceeded budgets of a file: its lines, those of its functions, their parameters. */
function breaches({ path, lines, wide, functions }: Source): readonly string[] {
  // the markup of a view is long without being complex
  const max = path.endsWith(".tsx") ? 100 : 50;
  return [
    ...wide.map((at) => `${at}: wider than 100 columns`),
    ...(lines > 400 ? [`${path}: ${lines} lines`] : []),
    ...functions.flatMap(({ at, lines: length, parameters }) => [
      ...(length > max ? [`${at}: ${length} lines`] : []),
      ...(parameters > 4 ? [`${at}: ${parameters} parameters`] : []),
    ]),
  ];
}

const isGenerated = (text: string): boolean =>
  text.startsWith("// Generated by `npm run generate`");

describe("budgets", () => {
  it("a file has at most 400 lines of 100 columns, and a function at most 50 lines and four parameters", () => {
    // the length of generated files depends on the number of endpoints
    const written = [...src, ...worker, ...server, ...demo].filter(
      ({ text }) => !isGenerated(text),
    );
    expect(written.flatMap(breaches)).toEqual([]);
  });

  it.each([
    ["src", src, 120, 20],
    ["worker", worker, 120, 20],
    ["server", server, 120, 20],
    ["demo", demo, 120, 25],
  ])("half the files of %s have at most %i lines", (_, sources, file, minLines) => {
    const functions = sources.flatMap((source) => source.functions);
    const lengths = (of: readonly { readonly lines: number }[]) => of.map(({ lines }) => lines);
    expect(quantile(lengths(sources), 0.5)).toBeLessThanOrEqual(file);
    expect(quantile(lengths(functions), 0.9)).toBeLessThanOrEqual(minLines);
  });
});

describe("signing", () => {
  it("only the listed modules call a sign function", () => {
    // keys of the vault and the keyed hash of serial numbers use the platform's sign function
    const asking = [...src, ...worker, ...server].filter(
      ({ path, text }) =>
        !/^src\/(algorithms|keys)\//.test(path) && /(?<!\bsubtle)\s*\.sign\(/.test(text),
    );
    expect(asking.map(({ path }) => path)).toEqual([
      // signs the checkpoints of a log, with its own key
      "src/log/checkpoint.ts",
      // signs a request with a secret that the recipient shares
      "src/managed/awskms-remote.ts",
      // authenticates to a server; the signature is neither stored nor published
      "src/net/tls-identity.ts",
      "src/pki/issuer/issuer.ts",
      // calls the endpoint with this name
      "server/cli/commands/sign.ts",
    ]);
  });

  it("the key of a row is sealed and unsealed in one module", () => {
    const opening = [...src, ...worker, ...server].filter(
      ({ path, text }) =>
        !/^src\/(algorithms|keys)\//.test(path) &&
        /\.signer\(|\bkeyBinding\(|\b(row|key)\.sealed\b/.test(text),
    );
    // the key of a client certificate is not in a key row
    expect(opening.map(({ path }) => path).sort()).toEqual([
      "src/external/rows/client-key.ts",
      "src/pki/rows/key-row.ts",
    ]);
  });

  it("secrets of a mount are sealed only for rows that the table of sealed rows has", () => {
    const sealing = src.filter(
      ({ path, text }) =>
        /^src\/(?:acme|est|external|log|pki)\//.test(path) &&
        /\bvault\.seal\(|\bsealedKey\(/.test(text),
    );
    // a new file here needs an entry in src/pki/config/sealed-rows.ts
    expect(sealing.map(({ path }) => path).sort()).toEqual([
      "src/external/write-config.ts",
      "src/log/config.ts",
      "src/pki/ca/ca-key.ts",
      // the key of serial numbers
      "src/pki/config/mount-type.ts",
      "src/pki/ocsp/responder-certificate.ts",
      // seals keys for the others
      "src/pki/rows/key-row.ts",
    ]);
  });

  it("certificates, CRLs and CSRs for keys of the mount are each signed in one module, with a log entry", () => {
    const signing = src.filter(({ path }) =>
      linksOf(path).imports.includes("src/pki/issuer/issuer.ts:signLogged"),
    );
    expect(signing.map(({ path }) => path).sort()).toEqual([
      // a CSR proves that the mount holds the key of a CA that another CA signs or cross-signs
      "src/pki/ca/signing-request.ts",
      "src/pki/crl/crl-sign.ts",
      "src/pki/issuer/certify.ts",
    ]);
  });

  it("only OCSP responses and the CSR of a new leaf key are signed without a log entry", () => {
    const signing = src.filter(({ path }) =>
      linksOf(path).imports.includes("src/pki/issuer/issuer.ts:signDer"),
    );
    expect(signing.map(({ path }) => path).sort()).toEqual([
      "src/pki/ca/signing-request.ts",
      "src/pki/ocsp/ocsp-sign.ts",
    ]);
  });
});

describe("keys of rows", () => {
  /** The modules that may build keys of rows. */
  const modules = [
    "src/base/row-keys.ts",
    "src/acme/rows/records.ts",
    "src/auth/rows/logins.ts",
    ...filesBelow("src/auth/types", ".ts"),
    "src/log/rows/records.ts",
    "src/managed/records.ts",
    "src/auth/rows/method-records.ts",
    "src/engine/sys-records.ts",
    "src/pki/rows/records.ts",
    "src/est/labels.ts",
    "src/quota/records.ts",
    "src/sys/mounts/remount-row.ts",
    "src/vars/rows/keys.ts",
  ];
  const texts = [...src, ...worker, ...server].flatMap((source) => source.texts);
  const own = modules.map((path) => texts.filter(({ at }) => at.startsWith(`${path}:`)));
  const owned = new Set(own.flat());
  const begins = new Set([...owned].flatMap(({ begins: text }) => /^[a-z]+\//.exec(text) ?? []));

  it("have prefixes, each of which belongs to one module", () => {
    expect([...begins]).toEqual(
      expect.arrayContaining(["cert/", "job/", "mounts/", "revoked/", "role/", "var/"]),
    );
    const shared = [...begins].filter(
      (begin) =>
        own.filter((ofModule) => ofModule.some((text) => text.begins.startsWith(begin))).length > 1,
    );
    expect(shared).toEqual([]);
  });

  it("are built in no other module", () => {
    const written = texts.filter(
      (text) =>
        !owned.has(text) &&
        // paths of the API look like keys, and older data is read with the keys that it had
        !/^server\/(?:cli|data)\//.test(text.at) &&
        [...begins].some((begin) => text.begins.startsWith(begin)),
    );
    expect(written.map(({ at, begins: text }) => `${at} ${text}`)).toEqual([]);
  });
});

describe("rows of the engine", () => {
  it("are those of stores, mounts, leases, policies and audit; features declare their own", () => {
    const rows = src
      .filter(({ path }) => path.startsWith("src/engine/"))
      .flatMap(({ text }) => [...text.matchAll(/^(?:export )?interface (\w+(?:Row|Config))\b/gm)])
      .map(([, name]) => name);
    expect(rows.sort()).toEqual([
      "AnonymousCallsRow",
      "AuditKeyRow",
      "AuditSentRow",
      "AuditSinkRow",
      "ClusterRow",
      "EndedTokenRow",
      "ExportedRow",
      "JobRow",
      "LeaseRow",
      "LockRow",
      "MountConfig",
      "MountRow",
      "NoticeRow",
      "PolicyRow",
      "UnpublishRow",
      "WrappedRow",
    ]);
  });

  it("contain no setting of a mount, which its type declares", () => {
    const declaring = src.filter(
      ({ path, text }) =>
        path.startsWith("src/engine/") &&
        path !== "src/engine/snapshot.ts" &&
        /\b(?:setting|configBytes|configRowsById)[<(]/.test(text),
    );
    expect(declaring.map(({ path }) => path)).toEqual([]);
  });
});

describe("exports", () => {
  /** Modules that other programs load: the entry points of the package, and the Workers. */
  const entries =
    /^(?:src\/(?:index|store\/indexeddb|(?:client|conformance|node|postgres|vars|verify)\/index)|worker\/(?:index|library)|worker\/build\/clocked)\.ts$/;
  /** Types that only inferred declarations use: those of the constants that declare endpoints. */
  const inferred = ["src/wire/endpoint.ts:Endpoint", "src/wire/endpoint.ts:Answers"];

  it("are each imported by another file", () => {
    const folders = ["src", "worker", "server", "demo", "test", "bench", "tools"];
    const links = folders
      .flatMap((folder) => filesBelow(folder, ".ts", ".tsx"))
      .map((path) => [path, linksOf(path)] as const);
    const imported = new Set(links.flatMap(([, { imports }]) => imports));
    const idle = links
      .filter(([path]) => /^(?:src|worker|server|demo)\//.test(path))
      .filter(([path]) => !entries.test(path))
      // a namespace is imported to list all of its endpoints
      .filter(([path]) => !imported.has(`${path}:*`))
      .flatMap(([path, { exports }]) => exports.map((name) => `${path}:${name}`))
      .filter((name) => !imported.has(name));
    expect(idle).toEqual(inferred);
  });
});

describe("style", () => {
  it("every export of src, worker and server has a doc comment, except for generated types", () => {
    // generated names explain themselves: `IssueInput` and `IssueReply` belong to the method
    // `issue`
    const files = [...src, ...worker, ...server].filter(({ text }) => !isGenerated(text));
    expect(files.flatMap(({ undocumented }) => undocumented)).toEqual([]);
  });

  it("src contains no any, non-null assertion, enum, decorator, default export, console, or comment that defers work", () => {
    // these must equal the platform's own declarations of streams, which use it
    const platform = /^src\/base\/platform\.ts:\d+ any$/;
    expect(src.flatMap(({ banned }) => banned).filter((one) => !platform.test(one))).toEqual([]);
  });

  it("neither do worker, server and demo, except for the Worker's default export and printed lines", () => {
    const others = [...worker, ...server, ...demo]
      .flatMap(({ banned }) => banned)
      .filter((one) => !/^(?:worker|server)\/\S+ (console|default export)$/.test(one));
    expect(others).toEqual([]);
  });

  it("only src/store/sql/sql.ts opens a cursor, which it reads to its end: an open cursor makes the write-ahead log grow", () => {
    const holding = ["src/store", "src/node", "worker", "server"]
      .flatMap((folder) => filesBelow(folder, ".ts"))
      .filter((path) => /\bsql\s*\.exec\(|\.raw\(/.test(readFileSync(join(root, path), "utf8")));
    expect(holding).toEqual(["src/store/sql/sql.ts"]);
  });

  it("limits are named max or min, and exports and types have no vague names such as found or told", () => {
    const limit = /\b(?:const|let|readonly) (?:most|least|shortest)[A-Z]/;
    const vague =
      /^export (?:async )?(?:const|let|function\*?|class|interface|type) (?:asked|held|found|told|kept|meant|looked|take|keep|look|tell)\b/im;
    const type =
      /^(?:interface|type|class) (?:Asked|Found|Told|Kept|Meant|Looked|Wanted|Given|Held)\b/m;
    const named = [...src, ...worker, ...server, ...demo].filter(
      ({ text }) => limit.test(text) || vague.test(text) || type.test(text),
    );
    expect(named.map(({ path }) => path)).toEqual([]);
  });

  it("src/wire contains no term of PKI: endpoints declare what is specific to certificates", () => {
    const word =
      /pki|certificate|issuer|\bCA\b|\bc[sr]ls?\b|\bcsrs?\b|serial(?!ize)|x509|ocsp|revo[kc]|\bpem\b|pkcs|private[_ ]key/i;
    const told = filesBelow("src/wire", ".ts").flatMap((path) =>
      readFileSync(join(root, path), "utf8")
        .split("\n")
        .flatMap((line, i) => (word.test(line) ? [`${path}:${i + 1}: ${line.trim()}`] : [])),
    );
    expect(told).toEqual([]);
  });

  it("files of the console have kebab-case names, and the view of a route the name of its folder", () => {
    const paths = demo.map(({ path }) => path);
    expect(paths.filter((path) => !/^demo\/(?:[a-z0-9-]+\/)*[a-z0-9-]+\.tsx?$/.test(path))).toEqual(
      [],
    );
    const routes = new Set(paths.map(routeOf).filter((route) => route !== ""));
    const views = [...routes].map((route) => `${route}${route.split("/")[2]}.tsx`);
    expect(views.filter((view) => !paths.includes(view))).toEqual([]);
  });

  it("no file has the name of a collection, such as utils or helpers", () => {
    expect(
      [...src, ...worker, ...server, ...demo]
        .map(({ path }) => path)
        .filter((path) => /(utils?|helpers?|manager|common|misc|service)\.tsx?$/.test(path)),
    ).toEqual([]);
  });
});

describe("endpoints", () => {
  it("have unique IDs", () => {
    const ids = endpoints.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it.each<[string, readonly AnyEndpoint[]]>(Object.entries(endpointLists))(
    "of %s have unique paths",
    (_, table) => {
      const routes = table.flatMap((endpoint) =>
        expandPatterns(endpoint).map(([method, path]) => `${method} ${path.replace(/:\w+/g, ":")}`),
      );
      expect(routes.filter((route, index) => routes.indexOf(route) !== index)).toEqual([]);
    },
  );

  it("describe what they do, and each of their fields", () => {
    const silent = endpoints.flatMap(({ id, doc, body, reply }) => [
      ...(/^[A-Z].*\.$/.test(doc) ? [] : [id]),
      ...[...Object.entries(body), ...Object.entries(reply)]
        .filter(([, field]) => !field.json["description"])
        .map(([name]) => `${id}.${name}`),
    ]);
    expect(silent).toEqual([]);
  });

  it("declare known refusals, each once", () => {
    const wrong = endpoints.filter(
      ({ refuses = [] }) =>
        refuses.some((code) => !Object.hasOwn(refusals, code)) ||
        new Set(refuses).size !== refuses.length,
    );
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  it("are each called or named in a string or title of a test", () => {
    // a function or a comment of a test may have the name of an endpoint by chance
    const notNamed = /^ *(?:\/\/|\/?\*).*$|\bfrom "[^"]*"/gm;
    const strings = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
    const tests = filesBelow("test", ".ts")
      .filter((path) => path !== "test/architecture.test.ts")
      .map((path) => readFileSync(join(root, path), "utf8").replace(notNamed, ""));
    const names = new Set(
      tests.flatMap((text) => [
        ...[...text.matchAll(/\.(\w+)\(/g)].map(([, name]) => name),
        ...(text.match(strings) ?? []).flatMap((one) => one.match(/\w+/g) ?? []),
      ]),
    );
    expect(endpoints.map(({ id }) => id).filter((id) => !names.has(id))).toEqual([]);
  });
});

/** Returns every file that is not ignored, with its text. */
function ownFiles(): readonly (readonly [path: string, text: string])[] {
  const ignored = new Set([
    ".git",
    "node_modules",
    ...readFileSync(join(root, ".gitignore"), "utf8")
      .split("\n")
      .map((line) => line.replace(/\/$/, "")),
  ]);
  const below = (folder: string): readonly string[] =>
    readdirSync(join(root, folder))
      .filter((name) => !ignored.has(name) && !name.endsWith(".log"))
      .flatMap((name) =>
        statSync(join(root, folder, name)).isDirectory()
          ? below(join(folder, name))
          : [join(folder, name)],
      );
  return below("").map((path) => [path, readFileSync(join(root, path), "utf8")]);
}

describe("the files of the project", () => {
  const files = ownFiles();
  it("contain no path of a particular machine", () => {
    const place = /(?:^|[\s"'`(=:,])\/(?:work|home|Users|workspace)\/\w/m;
    expect(files.filter(([, text]) => place.test(text)).map(([path]) => path)).toEqual([]);
  });

  it("contain no address of a package registry", () => {
    const host = /https?:\/\/[\w.-]*(?:registry|mirror|artifactory|nexus|verdaccio)[\w.-]*/i;
    expect(files.filter(([, text]) => host.test(text)).map(([path]) => path)).toEqual([]);
    expect(readFileSync(join(root, "package-lock.json"), "utf8")).not.toMatch(/"resolved": "\w+:/);
  });
});
