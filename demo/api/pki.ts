import type {
  ImportBundleReply,
  IssueInput,
  IssueReply,
  PatchIssuerInput,
  ReadCertReply,
  ReadCrlConfigReply,
  ReadIssuerReply,
  ReadRoleReply,
  RevokeInput,
  RevokeReply,
  SignInput,
  SignReply,
  WriteCrlConfigInput,
  WriteRoleInput,
} from "../../src/client/pki.ts";
import { call, callWithSettings, listing, readBytes, readData } from "./call.ts";
import * as pki from "./endpoints/pki.ts";
import { namesPermitted } from "./permissions.ts";
import { isForbidden, unknownCall, type Reply } from "./transport.ts";
import { changes, countChange } from "../lib/changes.ts";
import { notifyWindows } from "../lib/window-channel.ts";
import type { SettingChanges } from "../lib/settings.ts";
import { colons } from "../lib/hex-text.ts";

export { changes };

/** Reloads the views in all windows after a change that this page made. */
export function announceChange(): void {
  countChange();
  notifyWindows();
}

/** An issuer and its configuration. */
export type IssuerRecord = ReadIssuerReply;

/** The response of `issue` and `sign`. Only `issue` returns a private key. */
export type IssuedCertificate = SignReply &
  Partial<Record<keyof Pick<IssueReply, "private_key" | "private_key_type">, string>>;

/** The configuration of CRLs and OCSP. Older servers omit some members. */
export type CrlConfig = Partial<ReadCrlConfigReply> & Readonly<Record<string, unknown>>;

/** A role as sent or returned. Older servers omit some members. */
export type Role = {
  readonly [K in keyof ReadRoleReply]?: K extends keyof RoleInput ? RoleInput[K] : ReadRoleReply[K];
} & Readonly<Record<string, unknown>>;

/** A role with its name. */
export type NamedRole = readonly [name: string, role: Role];

export async function issuers(): Promise<readonly IssuerRecord[]> {
  const { keys } = await listing(pki.listIssuers);
  return Promise.all(keys.map((id) => issuer(id)));
}

/** Returns the API names of all issuers. */
export const issuerNames = async (): Promise<readonly string[]> =>
  Object.values((await listing(pki.listIssuers)).info).map(({ issuer_name: name }) => name);

/** Returns an issuer, or only its public properties if the token may not read it. */
export async function issuer(id: string): Promise<IssuerRecord> {
  try {
    return await readData(pki.readIssuer, { issuer_ref: id });
  } catch (error) {
    if (isForbidden(error)) return publicIssuer(id);
    throw error;
  }
}

/**
 * The configuration of a new issuer. It is assumed for an issuer whose configuration the token may
 * not read.
 */
const usualIssuer = {
  key_id: "",
  not_before: "",
  not_after: "",
  manual_chain: null,
  leaf_not_after_behavior: "err",
  usage: "read-only,issuing-certificates,crl-signing,ocsp-signing",
  revocation_signature_algorithm: "",
  revoked: false,
  issuing_certificates: [],
  crl_distribution_points: [],
  delta_crl_distribution_points: [],
  ocsp_servers: [],
  enable_aia_url_templating: false,
  disable_critical_extension_checks: false,
  disable_path_length_checks: false,
  disable_name_checks: false,
  disable_name_constraint_checks: false,
  ocsp_unknown_serials: false,
} as const;

/**
 * Returns the public properties of an issuer. Its key ID, validity and revocation come from the
 * listing.
 */
async function publicIssuer(id: string): Promise<IssuerRecord> {
  const [shown, { info }] = await Promise.all([
    readData(pki.readIssuerJson, { issuer_ref: id }),
    listing(pki.listIssuers),
  ]);
  const listed = { ...usualIssuer, ...info[shown.issuer_id] };
  const { key_id, revoked, not_before, not_after } = listed;
  return { ...usualIssuer, ...shown, key_id, revoked, not_before, not_after };
}

/**
 * Returns the ID of the default issuer from the public listing, or an empty string if there is
 * none.
 */
export async function defaultIssuer(): Promise<string> {
  const { keys, info } = await listing(pki.listIssuers);
  return keys.find((id) => info[id]?.is_default) ?? "";
}

export const setDefaultIssuer = (id: string): Promise<Reply<unknown>> =>
  call(pki.writeIssuersConfig, { default: id });

export const patchIssuer = (
  id: string,
  fields: Omit<PatchIssuerInput, "issuer_ref">,
): Promise<Reply<unknown>> => call(pki.patchIssuer, { ...fields, issuer_ref: id });

export const deleteIssuer = (id: string): Promise<Reply<unknown>> =>
  call(pki.deleteIssuer, { issuer_ref: id });

export const roleNames = async (): Promise<readonly string[]> =>
  (await listing(pki.listRoles)).keys;

/**
 * Returns the names of the roles, or those that the token's policies mention if it may not list the
 * roles.
 */
export async function usableRoles(): Promise<readonly string[]> {
  try {
    return await roleNames();
  } catch (error) {
    if (isForbidden(error)) return namesPermitted(pki.issue, pki.sign, pki.readRole);
    throw error;
  }
}

export const role = (name: string): Promise<Role> => readData(pki.readRole, { name });

/** Returns a role; without fields if the token may not read it. */
export async function readableRole(name: string): Promise<NamedRole> {
  try {
    return [name, await role(name)];
  } catch (error) {
    if (isForbidden(error)) return [name, {}];
    throw error;
  }
}

/** Returns all roles of the mount. Older servers require a request for each. */
export async function roles(): Promise<readonly NamedRole[]> {
  const { keys, info } = await listing(pki.listRoles, { detailed: true });
  return Promise.all(
    keys.map(async (name): Promise<NamedRole> => {
      const fields = info[name];
      return fields ? [name, fields] : readableRole(name);
    }),
  );
}

/** The writable fields of a role. */
export type RoleInput = Omit<WriteRoleInput, "name">;

export const saveRole = (name: string, fields: RoleInput): Promise<Reply<unknown>> =>
  call(pki.writeRole, { ...fields, name });

/** Changes fields of a role. On servers without PATCH, writes the whole role. */
export async function patchRole(
  name: string,
  fields: RoleInput,
  whole: RoleInput,
): Promise<Reply<unknown>> {
  try {
    return await call(pki.patchRole, { ...fields, name });
  } catch (error) {
    if (unknownCall(error)) return saveRole(name, whole);
    throw error;
  }
}

export const deleteRole = (name: string): Promise<Reply<unknown>> => call(pki.deleteRole, { name });

/** A revocation reason in the API; empty if none is given. */
export type Reason = NonNullable<RevokeInput["reason"]> | "";

/** The fields of a request to `issue`, other than the role. */
export type IssueFields = Omit<IssueInput, "role">;
/** The fields of a request to `sign`, other than the role. */
export type SignFields = Omit<SignInput, "role">;

export const issue = (role: string, fields: IssueFields): Promise<Reply<IssuedCertificate>> =>
  call(pki.issue, { ...fields, role });

export const sign = (role: string, fields: SignFields): Promise<Reply<IssuedCertificate>> =>
  call(pki.sign, { ...fields, role });

export const serials = async (): Promise<readonly string[]> => (await listing(pki.listCerts)).keys;

export const certificate = (serial: string): Promise<ReadCertReply> =>
  readData(pki.readCert, { serial: colons(serial) });

/** Returns certificates (PEM) by serial number; null for certificates that are not stored. */
export const certificates = async (
  serials: readonly string[],
): Promise<Readonly<Record<string, string | null>>> =>
  (await readData(pki.readCertBatch, { serial_numbers: serials })).certificates;

export const revoke = (serial: string, reason: Reason): Promise<Reply<RevokeReply>> =>
  call(pki.revoke, { serial_number: colons(serial), reason: reason || undefined });

/** Revokes a certificate, with its private key (PEM) as proof of possession. */
export const revokeWithKey = (
  serial: string,
  key: string,
  reason: Reason,
): Promise<Reply<RevokeReply>> =>
  call(pki.revokeWithKey, {
    serial_number: colons(serial),
    private_key: key,
    reason: reason || undefined,
  });

/** Returns a CRL of an issuer in DER, or undefined if there is none. */
export function crl(
  id: string,
  kind: { readonly shard: string; readonly delta: boolean },
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { shard, delta } = kind;
  const issuer = { issuer_ref: id };
  if (shard === "")
    return readBytes(delta ? pki.readIssuerDeltaCrlDer : pki.readIssuerCrlDer, issuer);
  return readBytes(delta ? pki.readIssuerShardDelta : pki.readIssuerShardCrl, { ...issuer, shard });
}

export const rotateCrls = (): Promise<Reply<unknown>> => call(pki.rotateCrl);

export const crlConfig = (): Promise<CrlConfig> => readData(pki.readCrlConfig);

/** Name of a CRL or OCSP setting. */
export type CrlSetting = keyof WriteCrlConfigInput;

export const saveCrlConfig = (changes: SettingChanges<CrlSetting>): Promise<Reply<CrlConfig>> =>
  callWithSettings(pki.writeCrlConfig, changes);

/** Imports CA certificates, also with private keys if `keys` is set. */
export const importBundle = (pem: string, keys: boolean): Promise<Reply<ImportBundleReply>> =>
  call(keys ? pki.importBundle : pki.importCertificates, { pem_bundle: pem });
