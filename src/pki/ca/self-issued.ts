import { referenceForm } from "../../base/forms.ts";
import { equalBytes } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import { decodePem, type PemBlock } from "../../base/pem.ts";
import { schemeFits, schemeOf } from "../../x509/algorithm.ts";
import {
  certificateNames,
  isCa,
  parseCertificate,
  type Certificate,
} from "../../x509/certificate.ts";
import type { GeneralNames } from "../../x509/san.ts";
import { parsePublicKey } from "../../x509/spki.ts";
import { flag, formed, text } from "../../wire/field.ts";
import { endpoint, type Input } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { recertify } from "../issuer/certify.ts";
import { signingIssuer } from "../issuer/issuer.ts";
import { listNeed } from "../issuer/list-needs.ts";
import { shardOf } from "../issuer/shards.ts";
import { assertConstraints } from "../issuer/constraints.ts";
import { certificatePem, issuerPem } from "../issuer/output.ts";
import { refuseLongNames } from "../request/alternative-names.ts";
import { schemeFor } from "../request/scheme.ts";
import { urlsFor } from "../issuer/urls.ts";

const declared = {
  style: envelope,
  body: {
    certificate: text.requiredOr("", "The self-issued CA certificate, PEM."),
    require_matching_certificate_algorithms: flag.default(
      false,
      "Refuse if its key is of another type than the issuer's.",
    ),
    issuer_ref: formed(text, referenceForm).optional("The issuer, if the path does not name one."),
  },
  reply: {
    certificate: text.required("The certificate as signed by the issuer, PEM."),
    issuing_ca: text.required("The issuer's certificate, PEM."),
  },
  refuses: [
    "bad_certificate",
    "constraint",
    "name_not_allowed",
    "unknown_issuer",
    "unusable_issuer",
  ],
  doc: "Signs a self-issued CA certificate as it is; only issuer, authority key identifier and URLs become those of the signer. For root rollover.",
} as const;

export const signSelfIssued = endpoint({
  ...declared,
  id: "signSelfIssued",
  audits: { always: true },
  at: ["POST /root/sign-self-issued"],
  access: "sudo",
  run: (ca, input) => signAgain(ca, input),
});
export const signSelfIssuedWith = endpoint({
  ...declared,
  id: "signSelfIssuedWith",
  audits: { always: true },
  at: ["POST /issuer/:issuer_ref/sign-self-issued"],
  access: "token",
  run: (ca, input) => signAgain(ca, input),
});

function signAgain(ca: Mount, input: Input<typeof declared.body, "POST /root/sign-self-issued">) {
  return ca.decide(async (config) => {
    const certificate = readSelfIssued(input.certificate);
    const issuer = await signingIssuer(ca, config, input.issuer_ref || "default");
    const names = namesOf(certificate);
    refuseLongNames(names);
    assertConstraints(ca, config, issuer.row, { subject: certificate.subject, names });
    const own = parsePublicKey(certificate.spki);
    const matches = own.type === issuer.publicKey.type;
    if (input.require_matching_certificate_algorithms && !matches)
      throw new CaError(
        "bad_certificate",
        `signing certificate is of type ${issuer.publicKey.type} but the submitted certificate's key is of type ${own.type}`,
      );
    // the submitted certificate's own algorithm where the signer can make it
    const held = schemeOf(certificate.algorithm);
    const scheme =
      held && schemeFits(held, issuer.publicKey) ? held : schemeFor(issuer.publicKey, 0, false);
    const urls = urlsFor(config, issuer.row);
    const { shards } = config.crl;
    const der = await recertify({ certificate, authority: issuer, scheme, urls, shards });
    const need = listNeed(ca, config, {
      set: issuer.row.crl_set,
      shard: shardOf(certificate.serial, { urls, shards }),
      notAfter: certificate.notAfter,
      addresses: urls.crl_distribution_points,
      unstored: true,
    });
    return {
      reply: { certificate: certificatePem(der), issuing_ca: issuerPem(issuer.row) },
      ...(need.put.length > 0 && { batch: { put: need.put } }),
    };
  });
}

function readSelfIssued(pem: string): Certificate {
  const blocks = blocksOf(pem);
  const [block] = blocks;
  if (!block) throw new CaError("bad_certificate", "certificate could not be PEM-decoded");
  let certificate: Certificate;
  try {
    certificate = parseCertificate(block.der);
  } catch (error) {
    throw new CaError(
      "bad_certificate",
      `error parsing certificate: ${error instanceof Error ? error.message : ""}`,
    );
  }
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
function namesOf(certificate: Certificate): GeneralNames {
  try {
    return certificateNames(certificate);
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
