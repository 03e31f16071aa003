import type {
  ImportBundleReply,
  ListIssuersReply,
  PatchIssuerInput,
  ReadIssuerReply,
} from "../../src/client/pki.ts";
import { call, listing, readData } from "./call.ts";
import * as pki from "./endpoints/pki.ts";
import { missingPermission } from "./permissions.ts";
import { isForbidden, type Reply } from "./transport.ts";

/** An issuer in a list. Older servers list neither certificates nor settings. */
export type ListedIssuer = ListIssuersReply["key_info"][string];

/** An issuer and its configuration. */
export interface IssuerRecord extends Omit<ReadIssuerReply, "ca_chain"> {
  /** The current CRLs; absent on older servers. */
  readonly crls?: ListedIssuer["crls"];
}

/**
 * Lists the issuers of the mount, with their certificates, their CRLs and the settings that the
 * token may read. The parts of a view share this request, even if a part needs only the names.
 */
export const listedIssuers = () => listing(pki.listIssuers, { detailed: true });

export async function issuers(): Promise<readonly IssuerRecord[]> {
  const { keys, info } = await listedIssuers();
  return Promise.all(keys.map((id) => recordOf(id, info[id])));
}

/** Returns a listed issuer. Older servers require a request for it. */
export async function recordOf(
  id: string,
  listed: ListedIssuer | undefined,
): Promise<IssuerRecord> {
  if (listed?.certificate === undefined) return issuer(id);
  const { certificate, crls } = listed;
  const record = { ...usualIssuer, ...listed, issuer_id: id, certificate };
  // The server lists the settings that the token may read. If there are none although the token's
  // rules grant this read, the token may have been revoked, which the read reports.
  if (listed.usage !== undefined || missingPermission(pki.readIssuer, { issuer_ref: id }) !== "")
    return record;
  return { ...(await readOr(id, async () => record)), crls };
}

/** Returns the API names of all issuers. */
export const issuerApiNames = async (): Promise<readonly string[]> =>
  Object.values((await listing(pki.listIssuers)).info).map(({ issuer_name: name }) => name);

/** Returns an issuer, or only its public properties if the token may not read it. */
export const issuer = (id: string): Promise<IssuerRecord> => readOr(id, () => publicIssuer(id));

/** Reads an issuer, or returns `other` if the token may not read it. */
async function readOr(id: string, other: () => Promise<IssuerRecord>): Promise<IssuerRecord> {
  try {
    return await readData(pki.readIssuer, { issuer_ref: id });
  } catch (error) {
    if (isForbidden(error)) return other();
    throw error;
  }
}

/** The default configuration of an issuer, assumed if the token may not read the actual one. */
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

/** Imports CA certificates, and also private keys if `keys` is set. */
export const importBundle = (pem: string, keys: boolean): Promise<Reply<ImportBundleReply>> =>
  call(keys ? pki.importBundle : pki.importCertificates, { pem_bundle: pem });
