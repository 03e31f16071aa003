import { type Reply, ask, bytes, list, mount, request, unknownCall } from "./transport.ts";
import { createStore } from "../lib/store.ts";
import { colons } from "../lib/format.ts";
import { place } from "../lib/place.ts";

/** Grows with every change made from this page; views read again when it does. */
export const changes = createStore({ turn: 0 });

const again = (): void => changes.set({ turn: changes.get().turn + 1 });

/**
 * The way to other windows of this console, which read again too. Where site data is blocked there
 * is none.
 */
function openChannel(): BroadcastChannel | undefined {
  try {
    const opened = new BroadcastChannel("sealwright");
    opened.onmessage = again;
    return opened;
  } catch {
    return undefined;
  }
}

const channel = openChannel();

/** Says that this page has changed something. */
export function changed(): void {
  again();
  channel?.postMessage("changed");
}

/** An issuer as the API tells it. */
export interface IssuerRecord {
  readonly issuer_id: string;
  readonly issuer_name: string;
  readonly key_id: string;
  readonly certificate: string;
  readonly ca_chain: readonly string[];
  readonly usage: string;
  readonly leaf_not_after_behavior: string;
  readonly revoked: boolean;
  /** Left out by an authority that has no OCSP. */
  readonly ocsp_unknown_serials?: boolean;
}

/** What `issue` and `sign` answer; `private_key` on issue only. */
export interface Issued {
  readonly certificate: string;
  readonly issuing_ca: string;
  readonly ca_chain?: readonly string[];
  readonly private_key?: string;
  readonly private_key_type?: string;
  readonly serial_number: string;
}

/** A stored certificate. */
export interface StoredCertificate {
  readonly certificate: string;
  /** Unix seconds, 0 while it is not revoked. */
  readonly revocation_time: number;
}

/** Configuration of the revocation lists. */
export interface CrlConfig extends Readonly<Record<string, unknown>> {
  readonly disable: boolean;
  readonly auto_rebuild: boolean;
  readonly enable_delta?: boolean;
  /** Left out by an authority that has no OCSP. */
  readonly ocsp_disable?: boolean;
  readonly shards?: number;
}

export type Role = Readonly<Record<string, unknown>>;

/** A role and its name. */
export type Named = readonly [name: string, role: Role];

export const ref = encodeURIComponent;

/** A path of several segments, each as a URL takes it. */
export const refs = (path: string): string => path.split("/").filter(Boolean).map(ref).join("/");

export async function issuers(): Promise<readonly IssuerRecord[]> {
  const { keys } = await list(mount("issuers"));
  return Promise.all(keys.map((id) => issuer(id)));
}

/** The names that issuers have in the API. */
export const issuerNames = async (): Promise<readonly string[]> =>
  Object.values((await list<{ issuer_name: string }>(mount("issuers"))).info).map(
    ({ issuer_name: name }) => name,
  );

export const issuer = (id: string): Promise<IssuerRecord> => ask("GET", mount(`issuer/${ref(id)}`));

export const defaultIssuer = async (): Promise<string> =>
  (await ask<{ default: string }>("GET", mount("config/issuers"))).default;

export const setDefaultIssuer = (id: string): Promise<Reply<unknown>> =>
  request("POST", mount("config/issuers"), { default: id });

export const patchIssuer = (id: string, fields: object): Promise<Reply<unknown>> =>
  request("PATCH", mount(`issuer/${ref(id)}`), fields);

export const deleteIssuer = (id: string): Promise<Reply<unknown>> =>
  request("DELETE", mount(`issuer/${ref(id)}`));

export const roleNames = async (): Promise<readonly string[]> => (await list(mount("roles"))).keys;

export const role = (name: string): Promise<Role> => ask("GET", mount(`roles/${ref(name)}`));

/** Every role of the mount. */
export const roles = async (): Promise<readonly Named[]> =>
  Promise.all((await roleNames()).map(async (name): Promise<Named> => [name, await role(name)]));

export const saveRole = (name: string, fields: object): Promise<Reply<unknown>> =>
  request("POST", mount(`roles/${ref(name)}`), fields);

/** Changes the fields that are sent; an authority that cannot do that gets the whole role. */
export async function patchRole(
  name: string,
  fields: object,
  whole: object,
): Promise<Reply<unknown>> {
  try {
    return await request("PATCH", mount(`roles/${ref(name)}`), fields);
  } catch (error) {
    if (unknownCall(error)) return saveRole(name, whole);
    throw error;
  }
}

export const deleteRole = (name: string): Promise<Reply<unknown>> =>
  request("DELETE", mount(`roles/${ref(name)}`));

export const issue = (name: string, fields: object): Promise<Reply<Issued>> =>
  request("POST", mount(`issue/${ref(name)}`), fields);

export const sign = (name: string, fields: object): Promise<Reply<Issued>> =>
  request("POST", mount(`sign/${ref(name)}`), fields);

export const serials = async (): Promise<readonly string[]> => (await list(mount("certs"))).keys;

export const certificate = (serial: string): Promise<StoredCertificate> =>
  ask("GET", mount(`cert/${colons(serial)}`));

/** PEM by serial number, null for one that is not held. */
export const certificates = async (
  serials: readonly string[],
): Promise<Readonly<Record<string, string | null>>> =>
  (
    await ask<{ certificates: Readonly<Record<string, string | null>> }>(
      "POST",
      mount("batch/certs"),
      { serial_numbers: serials },
    )
  ).certificates;

export const revoke = (
  serial: string,
  reason: string,
): Promise<Reply<{ revocation_time: number } | null>> =>
  request("POST", mount("revoke"), { serial_number: colons(serial), ...(reason && { reason }) });

/** A list of an issuer by its path below it. */
export const crl = async (
  id: string,
  path: string | undefined,
): Promise<Uint8Array<ArrayBuffer> | undefined> =>
  path === undefined ? undefined : bytes(mount(`issuer/${ref(id)}/${path}`));

export const rotateCrls = (): Promise<Reply<unknown>> => request("GET", mount("crl/rotate"));

export const crlConfig = (): Promise<CrlConfig> => ask("GET", mount("config/crl"));

export const saveCrlConfig = (fields: object): Promise<Reply<CrlConfig>> =>
  request("POST", mount("config/crl"), fields);

/** What an import answers; a list of nothing is null. */
export interface Imported {
  readonly imported_issuers: readonly string[] | null;
  readonly imported_keys: readonly string[] | null;
  readonly existing_issuers: readonly string[] | null;
  readonly existing_keys: readonly string[] | null;
}

/** Takes certificates of authorities, and their keys when `keys` are among them. */
export const importBundle = (pem: string, keys: boolean): Promise<Reply<Imported>> =>
  request("POST", mount(keys ? "issuers/import/bundle" : "issuers/import/cert"), {
    pem_bundle: pem,
  });

/** An operation of the API as its own description tells it. */
export interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly security?: readonly object[];
  readonly tags?: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses?: Readonly<
    Record<
      string,
      { readonly $ref?: string; readonly description?: string; readonly content?: Contents }
    >
  >;
}

/** What is sent or answered, by media type. */
export type Contents = Readonly<
  Record<string, { readonly schema: Schema; readonly example?: object }>
>;

/** What a value can be. */
export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
}

export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** What the authority can do, in its own words. */
export interface Description {
  readonly paths: Paths;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

let described: { of: string; found: Promise<Description> } | undefined;

/** Reads the description once for each authority. */
export function description(): Promise<Description> {
  const of = place.get().base;
  if (described?.of !== of) {
    const found = ask<Description>("GET", "sys/internal/specs/openapi", undefined, true);
    described = { of, found };
    found.catch(() => {
      described = undefined;
    });
  }
  return described.found;
}

/**
 * Whether the authority has an operation below a mount; an older one has fewer, and what cannot be
 * asked is left to try.
 */
export async function can(
  verb: "PATCH" | "DELETE" | "POST" | "GET",
  path: string,
): Promise<boolean> {
  try {
    return (await description()).paths[`/v1/pki/${path}`]?.[verb.toLowerCase()] !== undefined;
  } catch {
    return false;
  }
}
