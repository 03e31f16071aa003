import { join } from "node:path";
import { root } from "../worker/build/build.ts";
import { startServer, type RunningServer } from "../test/support/server.ts";
import { createCa, memoryStore } from "../src/index.ts";

/** A running server with a root, a role that stores and one that does not. */
export interface Subject extends RunningServer {
  call(path: string, body?: unknown): Promise<Record<string, unknown>>;
}

export const startFloor = (): Promise<RunningServer> =>
  startServer({ entry: join(root, "bench/floor.ts") });

/** `entry`: of another Worker around the same code. */
export async function startSubject(
  env: Record<string, string> = {},
  entry?: string,
): Promise<Subject> {
  const server = await startServer({ env, ...(entry === undefined ? {} : { entry }) });
  const call = caller(server);
  await prepare(call);
  return { ...server, call };
}

export const webRole = {
  allowed_domains: "example.com",
  allow_subdomains: true,
  key_type: "ec",
} as const;
/** Makes a root on P-256 and the roles `web` (stored) and `free` (not stored). */
export async function prepare(call: Subject["call"]): Promise<void> {
  await call("root/generate/internal", {
    common_name: "Bench Root",
    key_type: "ec" as const,
    ttl: "87600h",
  });
  await call("roles/web", webRole);
  await call("roles/free", { ...webRole, no_store: true });
}

/** One call to the mount as a client makes it; throws on a refusal. */
export function caller(server: RunningServer): Subject["call"] {
  return async (path, body) => {
    const response = await fetch(`${server.url}/v1/pki/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "x-vault-token": server.token, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
    const document: { data?: Record<string, unknown> } = text === "" ? {} : JSON.parse(text);
    return document.data ?? {};
  };
}

/** A signing request for a P-256 key, PEM. */
export async function signingRequest(): Promise<string> {
  const ca = createCa({ stores: memoryStore() });
  const { csr } = await ca.pki.generateIntermediate({
    common_name: "host.example.com",
    key_type: "ec",
  });
  return csr;
}

/** Puts rows straight into the store of the mount, by way of `seeding-worker.ts`. */
export async function seed(subject: Subject, query: string): Promise<void> {
  const mounts = await fetch(`${subject.url}/v1/sys/mounts/pki`, {
    headers: { "x-vault-token": subject.token },
  });
  const { data } = (await mounts.json()) as { readonly data: { readonly uuid: string } };
  const answer = await fetch(`${subject.url}/seed?store=${data.uuid}&${query}`);
  if (!answer.ok) throw new Error(`seed: ${answer.status} ${await answer.text()}`);
}
