import { ask, list, mount, request, type Reply } from "../../api/transport.ts";
import { place } from "../../lib/place.ts";
import { prefixOf, type Directory } from "./directories.ts";
import { ref } from "../../api/pki.ts";

/** Whether and how the mount speaks ACME. */
export interface AcmeConfig extends Readonly<Record<string, unknown>> {
  readonly enabled: boolean;
  readonly eab_policy: string;
  readonly default_directory_policy: string;
  readonly allowed_roles: readonly string[];
  readonly allowed_issuers: readonly string[];
}

/** The props of the parts of the ACME view. */
export interface OfAcme {
  readonly config: AcmeConfig;
}

/** An account binding key that no account has used yet; the key itself was shown once. */
export interface EabKey {
  readonly id: string;
  /** `acme/directory`, `roles/web/acme/directory`. */
  readonly directory: string;
  readonly created: Date;
}

/** A new EAB key, which the API returns only once. */
export interface NewEabKey {
  readonly id: string;
  readonly key: string;
  readonly acme_directory: string;
}

/** An account as its administration tells it. */
export interface Account {
  readonly key_id: string;
  readonly status: string;
  readonly contacts: readonly string[] | null;
  /** RFC 3339. */
  readonly created_time: string;
  readonly revoked_time?: string;
  /** `acme/`, `roles/web/acme/`. */
  readonly directory: string;
  readonly eab?: { readonly eab_id?: string };
}

/** Why something failed, as the problem document of it says. */
export interface Problem {
  readonly type: string;
  readonly detail: string;
}

/** A challenge, and how its last attempt ended. */
export interface Challenge {
  readonly type: string;
  readonly status: string;
  readonly attempts: number;
  readonly error?: Problem;
}

/** Whether an account has proven that it controls a name. */
export interface Authorization {
  readonly identifier: string;
  readonly status: string;
  readonly challenges: readonly Challenge[];
}

/** An order with what has become of each of its names. */
export interface Order {
  readonly order_id: string;
  readonly account_id: string;
  readonly directory: string;
  readonly status: string;
  readonly identifiers: readonly string[];
  /** RFC 3339. */
  readonly created_time: string;
  readonly expires: string;
  /** Empty while it has no certificate. */
  readonly cert_serial_number: string;
  readonly error?: Problem;
  readonly authorizations: readonly Authorization[];
}

export const acmeConfig = (): Promise<AcmeConfig> => ask("GET", mount("config/acme"));

export const saveAcmeConfig = (fields: object): Promise<Reply<unknown>> =>
  request("POST", mount("config/acme"), fields);

/** Where the mount says that it is; empty where nobody has told it. */
export const clusterPath = async (): Promise<string> =>
  (await ask<{ path: string }>("GET", mount("config/cluster"))).path;

/** Where this page reaches the mount. */
export const mountAddress = (): string => `${place.get().base}/v1/${place.get().mount}`;

/** Switches ACME on, after telling the mount its address where that was asked for. */
export async function enableAcme(path = ""): Promise<Reply<unknown>> {
  if (path !== "") await request("POST", mount("config/cluster"), { path });
  return saveAcmeConfig({ enabled: true });
}

/** The keys that no account has used yet, newest first. */
export async function eabKeys(): Promise<readonly EabKey[]> {
  const { keys, info } = await list<{ acme_directory: string; created_on: string }>(mount("eab"));
  return keys
    .map((id) => ({
      id,
      directory: info[id]?.acme_directory ?? "",
      created: new Date(info[id]?.created_on ?? NaN),
    }))
    .toSorted((a, b) => b.created.getTime() - a.created.getTime());
}

export const newEabKey = (directory: Directory): Promise<Reply<NewEabKey>> =>
  request("POST", mount(`${prefixOf(directory)}/new-eab`), {});

export const deleteEabKey = (id: string): Promise<Reply<unknown>> =>
  request("DELETE", mount(`eab/${ref(id)}`));

const administration = "acme/mgmt/account/keyid";

export const accountIds = async (): Promise<readonly string[]> =>
  (await list(mount(administration))).keys;

export const account = (id: string): Promise<Account> =>
  ask("GET", mount(`${administration}/${ref(id)}`));

export const setAccountStatus = (
  id: string,
  status: "revoked" | "valid",
): Promise<Reply<unknown>> => request("POST", mount(`${administration}/${ref(id)}`), { status });

/** The newest orders of the mount, or of one account. */
export async function orders(accountId = "", limit = 50): Promise<readonly Order[]> {
  const query = new URLSearchParams({
    limit: String(limit),
    ...(accountId && { account_id: accountId }),
  });
  const { keys, info } = await list<Omit<Order, "order_id">>(
    mount(`acme/mgmt/orders?${query.toString()}`),
  );
  return keys.flatMap((id) => {
    const told = info[id];
    return told ? [{ ...told, order_id: id }] : [];
  });
}
