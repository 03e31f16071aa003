import { acmeConfig } from "../rows/config.ts";
import { CaError } from "../../base/errors.ts";
import { rfc3339 } from "../../base/duration.ts";
import { lowerAscii, truncateForMessage } from "../../base/names.ts";
import type { AcmeOfPolicy } from "../../external/rows/records.ts";
import type { Mount } from "../../engine/mount.ts";
import type { CertRow } from "../../pki/rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { leafFromPolicy } from "../../external/issue/leaf.ts";
import {
  queryPolicyToIssue,
  requireSamePolicy,
  type PolicyDecision,
} from "../../external/issue/question.ts";
import type { ApprovedLeaf } from "../../pki/leaf/leaf.ts";
import type { SigningRequest } from "../../pki/request/request.ts";
import { compat } from "../../wire/dialect.ts";
import { withoutWarnings } from "../../pki/issuer/validity.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { nameValues } from "../../x509/name.ts";
import { nameOid } from "../../x509/oid.ts";
import { unusableTemplate } from "../../external/issue/template.ts";
import type { Directory } from "../protocol/directory.ts";
import { externalOf } from "../protocol/selection.ts";
import type { Account } from "../protocol/signed.ts";
import { type AccountBinding, certificateMetadata } from "./binding.ts";
import { addressOf, areSame, namesOf } from "./csr.ts";
import { acmeTtls } from "./lifetimes.ts";
import type { WholeOrder } from "./order-row.ts";

/** The context of an order in a directory with an external policy. */
export interface ByPolicy {
  readonly mount: Mount;
  readonly config: Snapshot;
  readonly caller: Caller;
  readonly directory: Directory;
  readonly account: Account;
  readonly order: WholeOrder;
  readonly request: SigningRequest;
  readonly acme: NonNullable<CertRow["acme"]>;
  readonly binding: AccountBinding | undefined;
}

/** Asks the external policy service of a directory to decide on an order (B 5.14, B 7.3). */
export async function requestDecision(it: ByPolicy): Promise<PolicyDecision> {
  const { mount, config, directory, request } = it;
  const policy = externalOf(config, directory);
  return queryPolicyToIssue(
    { mount, config },
    {
      mode: "acme",
      ...(policy ? { policy } : {}),
      issuer_ref: directory.issuer_ref,
      csr: request.csr.der,
      parameters: {},
      generated: false,
      acme: policyOrder(it),
      lifetimes: acmeTtls(config),
    },
  );
}

/** Returns the part of the policy request that describes the order. */
function policyOrder({ account, order: { authorizations } }: ByPolicy): AcmeOfPolicy {
  const { id, directory, contact, created, eab } = account;
  return {
    authorizations: authorizations.map(({ id: authorization, row }) => ({
      id: authorization,
      identifier: row.identifier,
      wildcard: row.wildcard,
      status: row.status,
      expires: rfc3339(row.expires),
      challenges: row.challenges
        .filter(({ status }) => status === "valid")
        .map(({ type, status, validated }) => ({
          type,
          status,
          ...(validated === undefined ? {} : { validated: rfc3339(validated) }),
        })),
    })),
    account: {
      id,
      directory,
      contact,
      created_date: rfc3339(created),
      ...(eab && {
        eab: { key_id: eab.id, key_type: "hs", created_date: rfc3339(eab.created) },
      }),
    },
  };
}

/**
 * Returns the leaf that the external policy approved for an order. Its names must be exactly the
 * validated names, and its lifetime within `max_ttl`. Throws `server_internal` if the leaf must not
 * be issued, and `busy` if the policy has changed since the decision.
 */
export async function leafFromPolicyAnswer(
  it: ByPolicy,
  answered: PolicyDecision,
): Promise<ApprovedLeaf> {
  const { mount, config, caller, directory } = it;
  requireSamePolicy(answered, config);
  if (externalOf(answered.config, directory) !== externalOf(config, directory))
    throw new CaError("busy", "the external policy of this directory has changed; try again");
  const { answer } = answered;
  if (!answer.store)
    throw new CaError(
      "server_internal",
      "the external policy service forbids storing the certificate, but ACME requires it",
    );
  const { spki } = it.request.csr;
  const options = { answer: { ...answer, lease: false }, spki, path: "", format: "pem" } as const;
  // ACME responses have no warnings, so a client sees shortened values only in the certificate
  const silent = { ...withoutWarnings(caller), dialect: compat };
  try {
    const leaf = await leafFromPolicy(
      { mount, config, caller: silent },
      { ...options, maxTtl: config.get(acmeConfig).max_ttl },
    );
    requireProven(leaf, it.order);
    const own = certificateMetadata(it.binding, { no_store_metadata: false });
    return { ...leaf, metadata: leaf.metadata ?? own, acme: it.acme };
  } catch (error) {
    // the fault is not the client's, so the client may retry
    if (error instanceof CaError && error.code !== "storage" && error.code !== "busy")
      throw new CaError("server_internal", error.message);
    throw error;
  }
}

/** Throws if the leaf's names differ from the order's. */
function requireProven({ own: { names, subject } }: ApprovedLeaf, { row }: WholeOrder): void {
  const proven = namesOf(row.identifiers);
  const stray = [
    ...names.email,
    ...names.uri,
    ...names.other.map(({ oid }) => oid),
    ...(names.directory?.length ? ["directoryName"] : []),
    ...(names.unreadable ?? []),
    ...valuesOf(subject, nameOid.email),
    ...commonNamesOf(subject).filter((name) => !proven.dns.has(name) && !proven.ip.has(name)),
  ];
  if (stray[0] !== undefined)
    throw unusableTemplate(`has a name that is not in the order: ${truncateForMessage(stray[0])}`);
  const dns = new Set(names.dns.map(lowerAscii));
  const ip = new Set(names.ip.map((text) => addressOf(text) ?? text));
  if (!areSame(dns, proven.dns) || !areSame(ip, proven.ip))
    throw unusableTemplate("does not have the names of the order");
}
type Subject = ApprovedLeaf["own"]["subject"];
/** Returns the common names, normalized like the names in orders. */
const commonNamesOf = (subject: Subject): readonly string[] =>
  valuesOf(subject, nameOid.commonName).map((name) => addressOf(name) ?? lowerAscii(name));
/** Returns the values of an attribute in the subject, which is DER if it comes from a template. */
const valuesOf = (subject: Subject, oid: string): readonly string[] =>
  subject instanceof Uint8Array ? nameValues(subject, oid) : [];
