import type {
  ListAcmeOrdersReply,
  ListEabReply,
  NewEabInput,
  NewEabReply,
  ReadAcmeAccountReply,
  ReadAcmeConfigReply,
  WriteAcmeConfigInput,
} from "../../../src/client/pki.ts";
import { call, callWithSettings, listing, readData } from "../../api/call.ts";
import { detailedPage, type DetailedPage } from "../../api/detailed-page.ts";
import * as pki from "../../api/endpoints/pki.ts";
import type { Reply } from "../../api/transport.ts";
import { place } from "../../lib/place.ts";
import type { SettingChanges } from "../../lib/settings.ts";
import type { Directory } from "./directories.ts";

/** The ACME configuration of the mount. */
export type AcmeConfig = ReadAcmeConfigReply;

/** The props that all sections of the ACME view receive. */
export interface OfAcme {
  readonly config: AcmeConfig;
}

type EabInfo = ListEabReply["key_info"][string];
/**
 * An external account binding key that is unused or has limits. The secret is missing, because it
 * is returned only once.
 */
export interface EabKey {
  readonly id: string;
  readonly info: Omit<EabInfo, "key_type" | "acme_directory" | "created_on">;
  /** Path of the directory, such as `acme/directory` or `roles/web/acme/directory`. */
  readonly directory: string;
  readonly created: Date;
}

/** An ACME account. */
export type Account = ReadAcmeAccountReply;

type OrderInfo = ListAcmeOrdersReply["key_info"][string];
/** An order with its ID. */
export type Order = OrderInfo & { readonly order_id: string };

export const acmeConfig = (): Promise<AcmeConfig> => readData(pki.readAcmeConfig);

/** Name of an ACME setting. */
export type AcmeSetting = keyof WriteAcmeConfigInput;

export const saveAcmeConfig = (changes: SettingChanges<AcmeSetting>): Promise<Reply<unknown>> =>
  callWithSettings(pki.writeAcmeConfig, changes);

/** Returns the configured URL of the mount, or an empty string if there is none. */
export const clusterPath = async (): Promise<string> => (await readData(pki.readCluster)).path;

/** Returns the URL that this page uses for the mount. */
export const mountAddress = (): string => `${place.get().base}/v1/${place.get().mount}`;

/**
 * Enables ACME with the changed settings. First sets the URL of the mount to `path`, unless `path`
 * is empty.
 */
export async function enableAcme(
  path: string,
  changes: SettingChanges<AcmeSetting>,
): Promise<Reply<unknown>> {
  if (path !== "") await call(pki.writeCluster, { path });
  return saveAcmeConfig({ ...changes, enabled: true });
}

/** Returns the EAB keys that are unused or have limits, newest first. */
export async function eabKeys(): Promise<readonly EabKey[]> {
  const { keys, info } = await listing(pki.listEab);
  return keys
    .map((id) => ({
      id,
      info: info[id] ?? {},
      directory: info[id]?.acme_directory ?? "",
      created: new Date(info[id]?.created_on ?? NaN),
    }))
    .toSorted((a, b) => b.created.getTime() - a.created.getTime());
}

/** Returns the request fields that choose the directory of a new EAB key. */
export const newEabInput = ({ role, issuer }: Directory): NewEabInput => ({
  role: role || undefined,
  issuer_ref: issuer || undefined,
});

export const newEabKey = (
  directory: Directory,
  limits: Omit<NewEabInput, "role" | "issuer_ref"> = {},
): Promise<Reply<NewEabReply>> => call(pki.newEab, { ...limits, ...newEabInput(directory) });

export const deleteEabKey = (id: string): Promise<Reply<unknown>> =>
  call(pki.deleteEab, { key_id: id });

/** An account in a listing. */
export type ListedAccount = Omit<Account, "orders">;

/** Returns the page of accounts that begins at position `first`. */
export const accountPage = (first: number, limit: number): Promise<DetailedPage<ListedAccount>> =>
  detailedPage<ListedAccount>(
    { list: (input) => listing(pki.listAcmeAccounts, input), read: account },
    first,
    limit,
  );

export const account = (id: string): Promise<Account> =>
  readData(pki.readAcmeAccount, { key_id: id });

export const setAccountStatus = (
  id: string,
  status: "revoked" | "valid",
): Promise<Reply<unknown>> => call(pki.writeAcmeAccount, { key_id: id, status });

/** Returns the newest orders in the mount, or only those from one account. */
export async function orders(accountId = "", limit = 50): Promise<readonly Order[]> {
  const { keys, info } = await listing(pki.listAcmeOrders, {
    limit,
    account_id: accountId || undefined,
  });
  return keys.flatMap((id) => {
    const order = info[id];
    return order ? [{ ...order, order_id: id }] : [];
  });
}
