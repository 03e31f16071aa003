import { crlConfig } from "../rows/settings.ts";
import { referenceForm } from "../../base/forms.ts";
import { equalBytes } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import { decodePem, type PemBlock } from "../../base/pem.ts";
import { supportsScheme, schemeOf, parsePublicKey } from "../../x509/public-key.ts";
import {
  certificateNames,
  isCa,
  parseCertificate,
  type Certificate,
} from "../../x509/certificate.ts";
import { flag, withNormalForm, text } from "../../wire/field.ts";
import { endpoint, type Caller, type Input } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { withEvents } from "../../events/raise.ts";
import { issuedEvents } from "../issuer/certificate-events.ts";
import { recertify } from "../issuer/certify.ts";
import { signingIssuer, type SigningIssuer } from "../issuer/issuer.ts";
import { retainCrl, shardOf } from "../issuer/crl-retention.ts";
import { assertConstraints } from "../issuer/constraints.ts";
import { certificatePem, issuerPem } from "../issuer/output.ts";
import { refuseLongNames } from "../request/names.ts";
import { schemeFor } from "../request/scheme.ts";
import { urlsFor } from "../issuer/urls.ts";
import { withinIssuer } from "../issuer/validity.ts";

const declared = {
  // requires sudo, because a caller can have any key certified as a CA, by any issuer of the mount
  access: "sudo",
  style: envelope,
  body: {
    certificate: text.requiredOr("", "Self-issued CA certificate to sign, PEM."),
    require_matching_certificate_algorithms: flag.default(
      false,
      "Fail if the key type of the certificate differs from that of the issuer.",
    ),
    issuer_ref: withNormalForm(text, referenceForm).optional(
      "Issuer to sign with, if the URL path does not name one.",
    ),
  },
  reply: {
    certificate: text.required("Certificate signed by the issuer, PEM."),
    issuing_ca: text.required("CA certificate of the issuer, PEM."),
  },
  refuses: [
    "bad_certificate",
    "bad_key",
    "constraint",
    "name_not_allowed",
    "unknown_issuer",
    "unusable_issuer",
    "validity",
  ],
  doc: "Signs a self-issued CA certificate with an issuer, for a root rollover. Replaces only the issuer name, the authority key identifier, and the URLs, if the issuer has any; truncates the validity if necessary.",
} as const;

export const signSelfIssued = endpoint({
  ...declared,
  id: "signSelfIssued",
  audits: { always: true },
  at: ["POST /root/sign-self-issued"],
  run: (mount, input, caller) => signAgain(mount, input, caller),
});
export const signSelfIssuedWith = endpoint({
  ...declared,
  id: "signSelfIssuedWith",
  audits: { always: true },
  at: ["POST /issuer/:issuer_ref/sign-self-issued"],
  run: (mount, input, caller) => signAgain(mount, input, caller),
});

type SelfIssuedInput = Input<typeof declared.body, "POST /root/sign-self-issued">;
function signAgain(mount: Mount, input: SelfIssuedInput, caller: Caller) {
  return mount.decideFor(caller, async (config, caller) => {
    const submitted = readSelfIssued(input.certificate);
    const issuer = await signingIssuer(mount, config, input.issuer_ref || "default");
    const names = readPart(() => certificateNames(submitted));
    refuseLongNames(names);
    assertConstraints(mount, config, issuer.row, { subject: submitted.subject, names });
    assertPathLength(issuer, submitted);
    const certificate = withinSigner(mount, issuer, submitted, caller);
    const own = parsePublicKey(certificate.spki);
    const matches = own.type === issuer.publicKey.type;
    if (input.require_matching_certificate_algorithms && !matches)
      throw new CaError(
        "bad_certificate",
        `signing certificate is of type ${issuer.publicKey.type} but the submitted certificate's key is of type ${own.type}`,
      );
    // keeps the signature algorithm of the submitted certificate if the issuer's key supports it
    const usedScheme = schemeOf(certificate.algorithm);
    const scheme =
      usedScheme && supportsScheme(usedScheme, issuer.publicKey)
        ? usedScheme
        : schemeFor(issuer.publicKey, 0, false);
    const urls = urlsFor(config, issuer.row);
    const { shards } = config.get(crlConfig);
    const signed = await recertify({ certificate, authority: issuer, scheme, urls, shards });
    const need = retainCrl(mount, config, {
      set: issuer.row.crl_set,
      shard: shardOf(certificate.serial, { urls, shards }),
      notAfter: certificate.notAfter,
      addresses: urls.crl_distribution_points,
      unstored: true,
    });
    return signed.inChange(async (der) => {
      const change = {
        reply: { certificate: certificatePem(der), issuing_ca: issuerPem(issuer.row) },
        ...(need.put.length > 0 && { batch: { put: need.put } }),
      };
      const events = await issuedEvents(mount, config, { der, issuer: issuer.row.id, role: "" });
      return withEvents(change, events);
    });
  });
}

/**
 * Throws `constraint` if the issuer has path length constraint 0 and thus may not issue CA
 * certificates. A certificate with the issuer's own name, such as one for its next key, is exempt
 * (RFC 5280 section 4.2.1.9).
 */
function assertPathLength(issuer: SigningIssuer, { subject }: Certificate): void {
  if (issuer.pathLength === 0 && !equalBytes(subject, issuer.certificate.subject))
    throw new CaError(
      "constraint",
      "signing certificate has a max path length of zero, and cannot issue further CA certificates",
    );
}
/**
 * Returns the certificate with its validity truncated to that of the issuer, unless the issuer
 * permits a later expiry. Throws `validity` if the issuer forbids a later expiry
 * (`always_enforce_err`).
 */
function withinSigner(
  mount: Mount,
  { row, certificate: signer }: SigningIssuer,
  certificate: Certificate,
  caller: Caller,
): Certificate {
  // a certificate that expires before the issuer's notBefore is also signed unchanged, which is
  // harmless because no client accepts it
  if (certificate.notAfter <= signer.notAfter) return certificate;
  const own = row.leaf_not_after_behavior;
  const behavior = own === "permit" || own === "always_enforce_err" ? own : "truncate";
  const { notAfter } = withinIssuer(mount.ports.now(), certificate, signer, behavior);
  if (notAfter === certificate.notAfter) return certificate;
  caller.reply.warn(
    "The submitted certificate expires after the signing CA certificate, so its expiry was truncated to that of the CA. An issuer with leaf_not_after_behavior permit signs it unchanged.",
  );
  return { ...certificate, notAfter };
}

function readSelfIssued(pem: string): Certificate {
  const blocks = blocksOf(pem);
  const [block] = blocks;
  if (!block) throw new CaError("bad_certificate", "certificate could not be PEM-decoded");
  const certificate = readPart(() => parseCertificate(block.der));
  if (blocks.length > 1)
    throw new CaError(
      "bad_certificate",
      `${blocks.length} certificates found in PEM file, expected 1`,
    );
  if (!isCa(certificate))
    throw new CaError("bad_certificate", "given certificate is not a CA certificate");
  if (!equalBytes(certificate.issuer, certificate.subject))
    throw new CaError("bad_certificate", "given certificate is not self-issued");
  return certificate;
}
/** Runs a parser. Throws `bad_certificate` if the parser throws. */
function readPart<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new CaError(
      "bad_certificate",
      `error parsing certificate: ${error instanceof Error ? error.message : ""}`,
    );
  }
}
function blocksOf(pem: string): readonly PemBlock[] {
  try {
    return decodePem(pem);
  } catch {
    return [];
  }
}
