import { databaseIn, startWriter } from "../server/data/database.ts";
import {
  createCa,
  memoryStore,
  sealedVault,
  type Ca,
  type Store,
  type Stores,
} from "../src/index.ts";
import { nodeCrypto, sqliteStore } from "../src/node/index.ts";
import { workers } from "./flags.ts";
import { scratchDirectory, secretIn, startBuilt, type Program } from "./programs.ts";

/** A running server with a root, a role that stores certificates and a role that does not. */
export interface Subject extends Program {
  readonly token: string;
  readonly dataDir: string;
  call: Call;
}

/** A function that sends a request to the mount. Rejects with the server's error. */
export type Call = (path: string, body?: unknown) => Promise<Record<string, unknown>>;

/** The options for starting the server. */
export interface SubjectOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Number of serving processes. */
  readonly workers?: number;
  /** Flags for Node. If present, the server runs from the sources. */
  readonly node?: readonly string[];
}

/** Starts the built server with a new data directory, and creates a root and roles. */
export async function startSubject(options: SubjectOptions = {}): Promise<Subject> {
  const dataDir = scratchDirectory();
  const subject = asSubject(await start(dataDir, options), dataDir);
  await prepare(subject.call);
  return subject;
}

const start = (dataDir: string, options: SubjectOptions): Promise<Program> => {
  const { env, node, workers: count = workers } = options;
  const all = { WORKERS: String(count), ...env };
  return startBuilt({ dataDir, env: all, ...(node ? { node } : {}) });
};

/** Returns a started server with its generated root token, and a function that calls the mount. */
export function asSubject(program: Program, dataDir: string): Subject {
  const token = secretIn(dataDir, "root-token");
  return { ...program, token, dataDir, call: caller({ url: program.url, token }) };
}

export const webRole = {
  allowed_domains: "example.com",
  allow_subdomains: true,
  key_type: "ec",
} as const;
/** Creates a P-256 root and the roles `web` (stored) and `free` (not stored). */
export async function prepare(call: Call): Promise<void> {
  await call("root/generate/internal", {
    common_name: "Bench Root",
    key_type: "ec" as const,
    ttl: "87600h",
  });
  await call("roles/web", webRole);
  await call("roles/free", { ...webRole, no_store: true });
}

/** Returns a function that sends requests to the `pki` mount of a server. */
export function caller({ url, token }: { readonly url: string; readonly token: string }): Call {
  return async (path, body) => {
    const response = await fetch(`${url}/v1/pki/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "x-vault-token": token, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
    const document: { data?: Record<string, unknown> } = text === "" ? {} : JSON.parse(text);
    return document.data ?? {};
  };
}

/** Creates a CSR (PEM) for a P-256 key. */
export async function signingRequest(): Promise<string> {
  const ca = createCa({ stores: memoryStore() });
  const { csr } = await ca.pki.generateIntermediate({
    common_name: "host.example.com",
    key_type: "ec",
  });
  return csr;
}

/**
 * Stops a server, writes rows directly into the store of its mount, and restarts the server at
 * another URL.
 */
export const seed = (subject: Subject, put: (store: Store) => Promise<void>): Promise<void> =>
  restartAfter(subject, async (mount) => {
    const stores = sqliteStore(databaseIn(subject.dataDir));
    try {
      await put(stores(mount));
    } finally {
      stores.close();
    }
  });

/**
 * Stops a server, runs a function with the UUID of its mount, and restarts the server at another
 * URL.
 */
export async function restartAfter(
  subject: Subject,
  run: (mount: string) => Promise<void>,
): Promise<void> {
  const mounts = await fetch(`${subject.url}/v1/sys/mounts/pki`, {
    headers: { "x-vault-token": subject.token },
  });
  const { data } = (await mounts.json()) as { readonly data: { readonly uuid: string } };
  await subject.stop();
  await run(data.uuid);
  Object.assign(subject, asSubject(await start(subject.dataDir, {}), subject.dataDir));
}

/**
 * Runs a function with the authority in a database file, opened as a server with one process does.
 * The authority uses the stores that `wrap` returns.
 */
export async function withCa<T>(
  file: string,
  run: (ca: Ca, stores: Stores) => Promise<T>,
  wrap = (stores: Stores): Stores => stores,
): Promise<T> {
  const writer = await startWriter(file);
  const opened = writer.stores();
  try {
    const stores = wrap(opened);
    const vault = sealedVault({ key: new Uint8Array(32), crypto: nodeCrypto });
    return await run(createCa({ stores, vault, crypto: nodeCrypto }), stores);
  } finally {
    opened.close();
    await writer.stop();
  }
}
