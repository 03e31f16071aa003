import { estConfig } from "./settings.ts";
import { certsOnly } from "../archive/pkcs7.ts";
import { CaError } from "../base/errors.ts";
import type { Mount } from "../engine/mount.ts";
import { rowsBeside } from "../engine/placement.ts";
import type { Identity } from "../engine/ports.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { signLeaf } from "../pki/leaf/issuance.ts";
import type { ApprovedLeaf } from "../pki/leaf/leaf.ts";
import { roleOf } from "../pki/leaf/role.ts";
import { approveSign, signFields } from "../pki/leaf/sign.ts";
import { approveVerbatim } from "../pki/leaf/verbatim.ts";
import { verbatimFields } from "../pki/leaf/verbatim-fields.ts";
import { withheldFromClients } from "../pki/leaf/verbatim-profile.ts";
import { failFast } from "../pki/request/rule-checker.ts";
import { checkRequestKey, readRequest, type SigningRequest } from "../pki/request/request.ts";
import { refuseCa } from "../pki/request/taken-over.ts";
import { isRequestAllowed, permissionDenied } from "../wire/access.ts";
import { keys } from "../pki/rows/records.ts";
import { compat } from "../wire/dialect.ts";
import type { Caller, RawReply } from "../wire/endpoint.ts";
import type { Parsed, Shape } from "../wire/field.ts";
import { certificatesType, base64Reply } from "./answer.ts";
import { auditFieldsOf } from "./audit-fields.ts";
import { nativePath, rulesOf, type EstPath, type Operation } from "./policy.ts";
import { requireRenewable } from "./renewal.ts";
import {
  requireIncludedExtensions,
  refuseChangedSubject,
  refuseDeviceNames,
  parseRequest,
} from "./request.ts";
import { isStillAccepted, signIn } from "./sign-in.ts";

/** An enrollment or re-enrollment request. */
interface Enrollment extends EstPath {
  readonly csr: Uint8Array;
  readonly operation: Operation;
}

/** Issues a certificate to the authenticated client (RFC 7030 section 4.2). */
export async function enroll(
  mount: Mount,
  enrollment: Enrollment,
  caller: Caller,
): Promise<RawReply> {
  const now = await mount.config();
  // checked first, so that no login is performed for a path that is not served
  rulesOf(now.get(estConfig), enrollment);
  const presented =
    enrollment.operation === "simplereenroll" ? presentedCertificate(caller) : undefined;
  const client = await signIn(now, caller);
  const { identity } = client;
  caller.audit.setIdentity(identity);
  const csr = parseRequest(enrollment.csr);
  // API headers do not affect enrollment
  const as: Caller = {
    ...caller,
    dialect: compat,
    identity: { ...caller.identity, entity: identity.entity, policies: identity.policies ?? [] },
  };
  const der = await mount.decideFor(as, async (config, caller) => {
    const rules = rulesOf(config.get(estConfig), enrollment);
    if (!isStillAccepted(config, client))
      throw new CaError("unauthorized", "this mount no longer accepts this login");
    // a path with a label is an alias of the role's path; other paths are not aliases
    const path = enrollment.label === undefined ? enrollment : rules;
    requireGranted(identity, config.mount.path + nativePath(path, enrollment.operation));
    const request = readRequest(csr);
    refuseChangedSubject(request);
    refuseDeviceNames(config, request);
    caller.audit.note(await auditFieldsOf(mount.sys, config.get(estConfig).audit_fields, request));
    const renewed = presented && (await requireRenewable({ mount, config }, request, presented));
    const leaf = await approveEnrollment({ mount, config, caller }, rules.role, { csr, request });
    const { der, serial, batch, ...change } = await signLeaf(
      { mount, config, caller },
      renewed ? { ...leaf, renews: renewed.serial } : leaf,
    );
    // a batch can only expect rows in the new certificate's partition; rows elsewhere have been
    // checked
    const expect = renewed ? rowsBeside(mount.store, keys.cert(serial), renewed.expect) : [];
    return {
      reply: der,
      ...change,
      batch: { ...batch, expect: [...(batch?.expect ?? []), ...expect] },
    };
  });
  return base64Reply(certificatesType, certsOnly([der]));
}

/**
 * Returns the certificate to be renewed from the TLS connection, because only the TLS handshake
 * proves that the client has the private key.
 */
function presentedCertificate(caller: Caller): Uint8Array {
  const [leaf] = caller.tlsChain ?? [];
  if (leaf) return leaf;
  const why = "present the certificate to be renewed as the TLS client certificate";
  throw new CaError(caller.basic() ? "forbidden" : "unauthorized", why);
}

/** Requires both `update` and `create`, because enrollment creates a certificate (B 6.1). */
function requireGranted(identity: Identity, path: string): void {
  for (const capability of ["update", "create"] as const)
    if (!isRequestAllowed(identity, { capability, path, parameters: {} })) throw permissionDenied();
}

/** Returns the field values of a request that contains only a CSR. */
const defaultsOf = <S extends Shape>(fields: S): Parsed<S> =>
  // the type of each field is determined by its parser, which TypeScript cannot follow through
  // `entries`
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field.parse(undefined, name)]),
  ) as unknown as Parsed<S>;
const [ofRole, verbatim] = [defaultsOf(signFields), defaultsOf(verbatimFields)] as const;

interface EnrollmentContext {
  readonly mount: Mount;
  readonly config: Snapshot;
  readonly caller: Caller;
}
/**
 * Approves a certificate in the same way as the sign endpoint, or as sign-verbatim if no role
 * applies. With a role, rejects a CSR for a CA certificate (D 3).
 */
async function approveEnrollment(
  it: EnrollmentContext,
  role: string | undefined,
  { csr, request }: { readonly csr: string; readonly request: SigningRequest },
): Promise<ApprovedLeaf> {
  if (role === undefined) {
    // only callers of the sign-verbatim endpoint may choose any type of key
    checkRequestKey(request, "any", 0);
    return approveVerbatim(
      { ...it, checker: failFast, input: { ...verbatim, csr } },
      withheldFromClients,
    );
  }
  refuseCa(request);
  requireIncludedExtensions(await roleOf(it.config, role), request);
  return approveSign({ ...it, checker: failFast, input: { ...ofRole, csr, role } });
}
