import { type Bytes, toHex, utf8 } from "../../base/bytes.ts";
import { memoize } from "../../base/memo.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { methods, tokenPath } from "../../auth/rows/methods.ts";
import type { Tables } from "../../wire/endpoint.ts";
import type { ApiDescription } from "../../wire/openapi-about.ts";
import { type Group, openapi } from "../../wire/openapi.ts";
import { about } from "./about.ts";
import type { CompressedDocument } from "./specs.ts";
import { exampleOf } from "./examples.ts";
import { groupOf } from "./groups.ts";

export { helpOn } from "./help.ts";

/** Paths and types of mounts or login methods. */
type TypedPaths = readonly (readonly [path: string, type: string, tag?: string])[];
/** Options for the OpenAPI document. */
interface DocumentOptions {
  /**
   * Whether the document describes all mounts of a type once, with the mount's path as a parameter.
   */
  readonly generic: boolean;
  /** Whether the caller may see which mounts and login methods exist. */
  readonly showsMounts: boolean;
}

/** Returns the OpenAPI document of all endpoints. */
export async function describeApi(
  deployment: Deployment,
  tables: Tables,
  { generic, showsMounts }: DocumentOptions,
) {
  const { publicUrl } = deployment.ports;
  const [mounts, logins] = showsMounts
    ? [await mountsOf(deployment), await loginsOf(deployment)]
    : [usual(tables.mounts), usual(tables.methods, "auth/")];
  const targets = { mounts: generic ? genericOf(tables) : mounts, logins };
  const documents = documentsOf(tables);
  const name = JSON.stringify([targets, publicUrl]);
  const document =
    documents.get(name) ??
    (await write(await makeDocument(tables, targets, descriptionOf(publicUrl))));
  // evicts the least recently used document, because the general document is requested often
  documents.delete(name);
  for (const oldest of documents.keys()) {
    if (documents.size < maxDocuments) break;
    documents.delete(oldest);
  }
  documents.set(name, document);
  return document;
}
/** Maximum number of cached documents, each of which is larger than a megabyte. */
const maxDocuments = 3;
/** Cached documents of an API, least recently used first. */
const documentsOf = memoize<Tables, readonly [], Map<string, CompressedDocument>>(() => new Map());

/** Encodes a document once, so that later requests cost almost nothing. */
async function write(document: object): Promise<CompressedDocument> {
  const bytes = utf8(`${JSON.stringify(document)}\n`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  let packed: Uint8Array | undefined;
  return {
    type: "application/json",
    bytes,
    etag: `"${toHex(digest).slice(0, 32)}"`,
    gzip: async () => (packed ??= await compressed(bytes)),
  };
}
async function compressed(bytes: Bytes): Promise<Uint8Array | undefined> {
  if (typeof CompressionStream === "undefined") return undefined;
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Returns the general part of the OpenAPI document. */
const descriptionOf = (publicUrl: string | undefined): ApiDescription => ({
  ...about,
  servers: [publicUrl ? { url: publicUrl } : { url: "/", description: "This server." }],
  example: exampleOf,
});

/** Returns the groups of all endpoints at their default paths. */
export const usualGroups = (tables: Tables): Promise<readonly Group[]> =>
  groupsOf(tables, { mounts: usual(tables.mounts), logins: usual(tables.methods, "auth/") });

const makeDocument = async (
  tables: Tables,
  targets: Parameters<typeof groupsOf>[1],
  description: ApiDescription,
) => openapi(await groupsOf(tables, targets), description);

async function groupsOf(
  tables: Tables,
  { mounts, logins }: Readonly<Record<"mounts" | "logins", TypedPaths>>,
): Promise<readonly Group[]> {
  const { sys, auth, identity, cubbyhole, beside } = tables;
  const groups = [
    ...mounts.map(([path, type, tag = path]) => groupOf({ path, type, tag }, tables.mounts[type])),
    ...logins.map(([path, type]) => groupOf({ path, type }, tables.methods[type])),
    groupOf({ path: "sys" }, sys),
    groupOf({ path: "auth" }, auth),
    groupOf({ path: "identity" }, identity),
    groupOf({ path: "cubbyhole" }, cubbyhole),
  ];
  return [...(await Promise.all(groups)), ...((await beside?.()) ?? [])];
}

/** Returns each type of mount once, with the mount's path as a parameter. */
const genericOf = ({ mounts }: Tables): TypedPaths =>
  Object.keys(mounts).map((type) => [`{${type}_mount_path}`, type, type]);

/** Returns the types with their default paths, which are their names. */
const usual = (types: Readonly<Record<string, unknown>>, below = ""): TypedPaths =>
  Object.keys(types)
    // `oidc` is an alias of `jwt`
    .filter((type) => type !== "oidc")
    .map((type) => [below + type, type]);

const mountsOf = async (deployment: Deployment): Promise<TypedPaths> =>
  [...(await deployment.mounts())]
    .map(([path, { type }]) => [path, type] as const)
    .sort(([a], [b]) => pkiFirst(a, b));
const loginsOf = async (deployment: Deployment): Promise<TypedPaths> =>
  [...(await methods(deployment.sys))]
    .filter(([path]) => path !== tokenPath)
    .map(([path, { type }]) => [`auth/${path}`, type] as const);
/**
 * Compares mount paths. `pki`, which the initialization creates, comes first, so that its
 * operations get names without a suffix.
 */
const pkiFirst = (a: string, b: string): number =>
  Number(b === "pki") - Number(a === "pki") || (a < b ? -1 : 1);
