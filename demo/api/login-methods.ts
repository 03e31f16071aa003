import { ApiError, ask, list, request, type Reply } from "./transport.ts";
import { ref, refs } from "./pki.ts";

/** A login method: what makes tokens for those who prove who they are. */
export interface LoginMethod {
  /** Below `auth/`, without slashes at its ends. */
  readonly path: string;
  readonly type: string;
  readonly description: string;
  readonly accessor: string;
}

type Told = Readonly<Partial<Record<"type" | "description" | "accessor", string>>>;

/** Every login method, by path. */
export async function loginMethods(): Promise<readonly LoginMethod[]> {
  const all = await ask<Readonly<Record<string, Told>>>("GET", "sys/auth");
  return Object.entries(all)
    .filter(([path]) => path.endsWith("/"))
    .map(([path, { type = "", description = "", accessor = "" }]) => ({
      path: path.replace(/\/+$/, ""),
      type,
      description,
      accessor,
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

export const enableMethod = (
  path: string,
  type: string,
  description: string,
): Promise<Reply<unknown>> => request("POST", `sys/auth/${refs(path)}`, { type, description });

export const disableMethod = (path: string): Promise<Reply<unknown>> =>
  request("DELETE", `sys/auth/${refs(path)}`);

/** A record of a method, as the API tells it. */
export type LoginRecord = Readonly<Record<string, unknown>>;

/** The configuration of a method; without members where none was written yet. */
export async function methodConfig(path: string): Promise<LoginRecord> {
  try {
    return await ask<LoginRecord>("GET", `auth/${refs(path)}/config`);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404 && error.bare) return {};
    throw error;
  }
}

export const saveMethodConfig = (path: string, fields: object): Promise<Reply<unknown>> =>
  request("POST", `auth/${refs(path)}/config`, fields);

/** Reads the settings that every login method has. */
export const methodTune = (path: string): Promise<LoginRecord> =>
  ask("GET", `sys/auth/${refs(path)}/tune`);

export const saveMethodTune = (path: string, fields: object): Promise<Reply<unknown>> =>
  request("POST", `sys/auth/${refs(path)}/tune`, fields);

/** The principals of a login method: `kind` is their name in the API, such as `role` or `users`. */
export interface PrincipalKind {
  readonly path: string;
  readonly kind: string;
}

export const principalNames = async ({ path, kind }: PrincipalKind): Promise<readonly string[]> =>
  (await list(`auth/${refs(path)}/${kind}`)).keys;

const one = ({ path, kind }: PrincipalKind, name: string): string =>
  `auth/${refs(path)}/${kind}/${ref(name)}`;

export const readPrincipal = (of: PrincipalKind, name: string): Promise<LoginRecord> =>
  ask("GET", one(of, name));

export const savePrincipal = (
  of: PrincipalKind,
  name: string,
  fields: object,
): Promise<Reply<unknown>> => request("POST", one(of, name), fields);

export const deletePrincipal = (of: PrincipalKind, name: string): Promise<Reply<unknown>> =>
  request("DELETE", one(of, name));

/** The id that a client of an approle role signs in with. */
export const roleId = async (path: string, name: string): Promise<string> =>
  (await ask<{ role_id: string }>("GET", `${one({ path, kind: "role" }, name)}/role-id`)).role_id;

/** A new secret id, which the API returns only once. */
export interface SecretId {
  readonly secret_id: string;
  readonly secret_id_accessor: string;
  /** Seconds; 0 without an end. */
  readonly secret_id_ttl: number;
  readonly secret_id_num_uses: number;
}

export const newSecretId = (path: string, name: string): Promise<Reply<SecretId>> =>
  request("POST", `${one({ path, kind: "role" }, name)}/secret-id`, {});

/** The accessors of the secret ids of a role. */
export const secretIds = async (path: string, name: string): Promise<readonly string[]> =>
  (await list(`${one({ path, kind: "role" }, name)}/secret-id`)).keys;

export const destroySecretId = (
  path: string,
  name: string,
  accessor: string,
): Promise<Reply<unknown>> =>
  request("POST", `${one({ path, kind: "role" }, name)}/secret-id-accessor/destroy`, {
    secret_id_accessor: accessor,
  });
