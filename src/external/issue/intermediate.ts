import { extensionOid } from "../../x509/oid.ts";
import { signCa, type ApprovedCa } from "../../pki/ca/new-intermediate.ts";
import { requireUnusedSerial, expectUnused } from "../../pki/issuer/serial.ts";
import { assertConstraints, rejectUnknownCritical } from "../../pki/issuer/constraints.ts";
import { hasAddresses, noUrls, urlsFor } from "../../pki/issuer/urls.ts";
import { leaseFor } from "../../pki/leaf/issuance.ts";
import { schemeFor } from "../../pki/request/scheme.ts";
import { issuerOf, validityOf, type LeafContext, type LeafTemplate } from "./leaf.ts";
import { checkSubject, readTemplate, unusableTemplate } from "./template.ts";

/**
 * Returns the CA certificate that the external policy approved, after checking it against the
 * current configuration. Like every CA certificate signed by a mount, it expires no later than its
 * issuer.
 */
async function approveCa(
  it: LeafContext,
  { answer, spki, format }: LeafTemplate,
): Promise<ApprovedCa> {
  const { mount, config, caller } = it;
  const issuer = await issuerOf(it, answer);
  const read = readTemplate(answer.certificate, { spki, issuer });
  if (!read.isCa)
    throw unusableTemplate("is not for a CA certificate, which this endpoint requires");
  if (read.unreadable[0] !== undefined)
    throw unusableTemplate(
      "has an alternative name that cannot be checked against name constraints",
    );
  if (read.own.extra?.some(({ oid }) => oid === extensionOid.noRevAvail))
    throw unusableTemplate(
      "has the extension noRevAvail, which a CA certificate must not have (RFC 9608 section 4)",
    );
  checkSubject(caller, read.own);
  await requireUnusedSerial(mount, config, read.serial);
  const own = issuer.row.leaf_not_after_behavior;
  const behavior = own === "always_enforce_err" ? own : "truncate";
  const validity = validityOf(it, read.own, { issuer, behavior });
  const template = { kind: "intermediate", ...read.profile, ...read.own, ...validity } as const;
  assertConstraints(mount, config, issuer.row, template);
  rejectUnknownCritical(issuer.row, template.extra);
  const urls = urlsFor(config, issuer.row);
  if (!hasAddresses(urls)) caller.reply.warn(noUrls);
  return {
    issuer,
    format,
    template,
    urls,
    scheme: read.profile.scheme ?? schemeFor(issuer.publicKey, 0, false),
    serial: read.serial,
    unstored: !answer.store,
  };
}

/**
 * Signs the CA certificate that the external policy approved. Returns the response, and the batch
 * if anything is stored.
 */
export async function signedByPolicy(it: LeafContext, decided: LeafTemplate) {
  const approved = await approveCa(it, decided);
  const { serial, template } = approved;
  const { store, lease } = decided.answer;
  const { reply, batch, done } = await signCa(it, approved);
  const leased = leaseFor(it, {
    rules: { generate_lease: lease, no_store: !store },
    path: decided.path,
    serial,
    notAfter: template.notAfter,
  })?.put;
  return {
    reply,
    done,
    ...((batch || leased) && {
      batch: {
        ...batch,
        ...(store && { expect: expectUnused(it.mount, serial) }),
        put: [...(batch?.put ?? []), ...(leased ?? [])],
      },
    }),
  };
}
