import { crlConfig } from "../rows/settings.ts";
import { keysById, certEntry, keys, type UrlSet } from "../rows/records.ts";
import { CaError } from "../../base/errors.ts";
import { serialText } from "../../base/ids.ts";
import type { Scheme } from "../../engine/ports.ts";
import { withEvents } from "../../events/raise.ts";
import { certify, planOf } from "../issuer/certify.ts";
import { assertConstraints } from "../issuer/constraints.ts";
import { issuedEvents } from "../issuer/certificate-events.ts";
import { chainRows, signingIssuer, type SigningIssuer } from "../issuer/issuer.ts";
import { checkIssuerName, issuerRow, issuerRows } from "../issuer/new-issuer.ts";
import { certificateOutput, certificatePem } from "../issuer/output.ts";
import { retainCrl, retainFirst, shardWith } from "../issuer/crl-retention.ts";
import { newSerial } from "../issuer/serial.ts";
import { hasAddresses, noUrls, urlsFor } from "../issuer/urls.ts";
import { validityFor, withinIssuer, type Validity } from "../issuer/validity.ts";
import { readCertificateFormat, type CertificateFormat, noteSerial } from "../request/format.ts";
import { templateNames, type Template } from "../request/template.ts";
import { checkRequestKey, checkRequestSignature, readRequest } from "../request/request.ts";
import { checkSignatureBits, schemeFor } from "../request/scheme.ts";
import type { IntermediateCase } from "./intermediate-fields.ts";
import { intermediateTemplate } from "./intermediate-template.ts";
import { crlIdsOf, revokedBelow } from "./revoked-issuers.ts";
import { keyWithSpki } from "./mount-keys.ts";
import { setSignedFields } from "./set-signed-fields.ts";

/** The CA certificate to sign, and the encoding of the result. */
interface Plan {
  readonly issuer: SigningIssuer;
  readonly format: CertificateFormat;
  readonly template: Template;
  readonly urls: UrlSet;
}
async function planned(it: IntermediateCase): Promise<Plan> {
  const { mount, config, input, caller } = it;
  const issuer = await signingIssuer(mount, config, input.issuer_ref || "default");
  const format = await readCertificateFormat(
    it,
    'The "format" path parameter must be "pem" or "der"',
  );
  const request = readRequest(input.csr);
  checkRequestKey(request, undefined, 0);
  if (!input.use_csr_values && input.common_name === "" && request.commonName === "")
    throw new CaError(
      "malformed",
      "the common_name field is required, or must be provided in the CSR",
    );
  checkSignatureBits(issuer.publicKey.type, input.signature_bits);
  const validity = validityBelow(it, issuer);
  await checkRequestSignature(request);
  const template = intermediateTemplate(it, request, issuer, validity);
  assertConstraints(mount, config, issuer.row, template);
  const urls = urlsFor(config, issuer.row);
  if (!hasAddresses(urls)) caller.reply.warn(noUrls);
  return { issuer, format, template, urls };
}

/**
 * Returns the validity of an intermediate CA. It is truncated to that of the issuer, unless the
 * request or the issuer enforces `leaf_not_after_behavior` (D 3).
 */
function validityBelow(
  { mount, config, input, caller }: IntermediateCase,
  { row, certificate }: SigningIssuer,
): Validity {
  const now = mount.ports.now();
  const validity = validityFor(
    input,
    { ttl: 0, max_ttl: 0, not_after: "", not_before_duration: input.not_before_duration },
    { now, mount: config.mount, caller },
  );
  const own = row.leaf_not_after_behavior;
  const enforces = input.enforce_leaf_not_after_behavior || own === "always_enforce_err";
  const behavior = enforces ? own : "truncate";
  const within = withinIssuer(now, validity, certificate, behavior);
  if (within !== validity)
    caller.reply.warn(
      "The requested expiration is later than that of the signing CA certificate, and was truncated to it.",
    );
  return within;
}

/** A CA certificate that passed all checks and only needs to be signed. */
export interface ApprovedCa extends Plan {
  readonly scheme: Scheme;
  readonly serial: Uint8Array;
  /** True if the certificate is not to be stored. */
  readonly unstored?: boolean;
}
/**
 * Signs a CA certificate. Returns the response and, unless `unstored` is set, the batch that stores
 * the certificate.
 */
export async function signCa(
  { mount, config, caller }: Pick<IntermediateCase, "mount" | "config" | "caller">,
  { issuer, format, template, urls, scheme, serial, unstored = false }: ApprovedCa,
) {
  const plan = planOf(template, {
    authority: issuer,
    scheme,
    urls,
    shards: config.get(crlConfig).shards,
  });
  const signed = await certify(plan, template, serial);
  const { row } = issuer;
  const names = templateNames(template);
  noteSerial(caller, serialText(serial), { issuer: row.id, names });
  const { notAfter, spki } = template;
  const { id, crl_set } = row;
  const shard = shardWith(serial, plan, template);
  const addresses = urls.crl_distribution_points;
  const need = await retainFirst(
    mount,
    retainCrl(mount, config, { set: crl_set, shard, notAfter, addresses, unstored }),
  );
  return signed.inChange(async (der) => {
    const output = await certificateOutput({
      der,
      serial,
      notAfter,
      issuer: row,
      chain: chainRows(config, row),
      format,
      dialect: caller.dialect,
    });
    // unlike the chain of a leaf, this chain includes the certificate itself (A 9.1)
    const own = format === "der" ? output.certificate : certificatePem(der);
    const cert = certEntry(
      serial,
      { der, issuer: id, crl_set, role: "", ...(shard !== undefined && { shard }) },
      { notBefore: template.notBefore, notAfter, name: names[0] ?? "" },
    );
    const put = [...(unstored ? [] : [cert]), ...need.put];
    const change = {
      reply: { ...output, ca_chain: [own, ...(output.ca_chain ?? [])] },
      made: { der, spki },
      ...(put.length > 0 && { batch: { put } }),
      done: () => mount.ports.meter?.count("issued", [mount.name]),
    };
    return withEvents(change, await issuedEvents(mount, config, { der, issuer: id, role: "" }));
  });
}

/**
 * Checks and signs an intermediate CA certificate. Returns the response, and the batch that stores
 * the certificate.
 */
export async function signedIntermediate(it: IntermediateCase) {
  const { mount, config, input } = it;
  const plan = await planned(it);
  const serial = await newSerial(mount, config);
  const scheme = schemeFor(plan.issuer.publicKey, input.signature_bits, input.use_pss);
  const { batch, ...change } = await signCa(it, { ...plan, scheme, serial });
  const expect = [[keys.cert(serial), null]] as const;
  return { ...change, batch: { ...batch, expect } };
}

/**
 * Checks and signs an intermediate CA certificate. Returns the response, and the batch that stores
 * the certificate and also adds it as an issuer. Throws `forbidden` if the caller may not add
 * issuers, and `bad_csr` if the mount does not have the key.
 */
export async function signedAndSet(it: IntermediateCase) {
  const { mount, config, input, caller } = it;
  // permission to sign does not include permission to add issuers
  const adding = {
    capability: "update",
    path: `${config.mount.path}/intermediate/set-signed`,
    parameters: { certificate: "" },
    declared: setSignedFields,
  } as const;
  if (!caller.identity.allows(adding))
    throw new CaError("forbidden", "1 error occurred:\n\t* permission denied\n\n");
  const name = input.issuer_name === undefined ? "" : checkIssuerName(config, input.issuer_name);
  const { reply, batch, made: created, done } = await signedIntermediate(it);
  const key = keyWithSpki(config.get(keysById).values(), created.spki);
  if (!key)
    throw new CaError(
      "bad_csr",
      "the mount does not have the private key for this CSR, so the certificate cannot become an issuer; omit set_signed to sign the CSR for use elsewhere",
    );
  const fields = { name, key_id: key.id, revocation_signature_algorithm: "" };
  const issuer = await issuerRow(mount, created.der, fields);
  const rows = await issuerRows(mount, config, [issuer], issuer.id);
  const below = await revokedBelow(mount, config, [issuer]);
  return {
    reply: { ...reply, issuer_id: issuer.id as string },
    crlIds: [...new Set([issuer.crl_set, ...crlIdsOf(below)])],
    batch: {
      ...batch,
      put: [...(batch.put ?? []), ...rows, ...below.put],
      append: below.append,
    },
    done,
  };
}
