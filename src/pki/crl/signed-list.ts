import { durationForm, lowerCase } from "../../base/forms.ts";
import { toBase64 } from "../../base/bytes.ts";
import { parseDuration } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { encodePem } from "../../base/pem.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { deltaIndicator } from "../../x509/crl.ts";
import { formed, int, text } from "../../wire/field.ts";
import type { Input } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { findIssuer, signingIssuer, type SigningIssuer } from "../issuer/issuer.ts";
import { signCrl, type CrlFields } from "./crl-sign.ts";

/** What a request says of the list that is to be signed. */
export const listFields = {
  crl_number: int.default(0, "Number of the new CRL."),
  delta_crl_base_number: int.default(
    -1,
    "Number of the CRL that this delta CRL is based on; -1 for a complete CRL.",
  ),
  next_update: formed(text, durationForm).default("72h", "How long the CRL is valid."),
  format: formed(text, lowerCase).default("pem", "`pem`, or `der` (base64).", ["pem", "der"]),
} as const;
/** What the endpoints that sign a list declare alike. */
export const signsList = {
  access: "token",
  // whole lists come in: 32 MiB of entries as clients write them (D 3)
  takes: { bytes: 32 * 1024 * 1024, members: 1_000_000 },
  style: envelope,
  reply: { crl: text.required("The signed CRL.") },
  refuses: ["malformed", "unusable_issuer"],
} as const;

/** The issuer that signs a list for a reference. */
export async function listSigner(
  ca: Mount,
  config: Snapshot,
  reference: string,
): Promise<SigningIssuer> {
  if (!findIssuer(config, reference))
    throw new CaError(
      "malformed",
      `failed to resolve issuer issuer_ref: unable to find PKI issuer for reference: ${reference}`,
    );
  return signingIssuer(ca, config, reference, "crl-signing");
}

type ListInput = Pick<Input<typeof listFields, "POST /x">, keyof typeof listFields>;
/** A list of these entries in the form that was asked for. */
export async function signList(
  ca: Mount,
  issuer: SigningIssuer,
  input: ListInput,
  { pages, extensions = [] }: Partial<CrlFields> & Pick<CrlFields, "pages">,
): Promise<string> {
  if (input.crl_number < 0)
    throw new CaError("malformed", "crl_number parameter must be 0 or greater");
  if (input.delta_crl_base_number < -1)
    throw new CaError("malformed", "delta_crl_base_number parameter must be -1 or greater");
  const format = input.format.toLowerCase();
  if (format !== "pem" && format !== "der")
    throw new CaError(
      "malformed",
      `unknown format value of ${input.format.slice(0, 32)}: use pem or der`,
    );
  const thisUpdate = Math.floor(ca.ports.now() / 1000);
  const span = parseDuration(input.next_update) ?? 0;
  if (span <= 0) throw new CaError("malformed", "next_update parameter must be greater than 0");
  const { crl_number: number, delta_crl_base_number: base } = input;
  const der = await signCrl(issuer, {
    thisUpdate,
    nextUpdate: thisUpdate + span,
    number,
    pages,
    extensions: [base >= 0 ? deltaIndicator(base) : undefined, ...extensions],
  });
  return format === "der" ? toBase64(der) : `${encodePem("X509 CRL", der)}\n`;
}
