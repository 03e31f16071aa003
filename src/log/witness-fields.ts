import { malformed } from "../base/errors.ts";
import { listForm, uriForm, withoutEnd, type TextForm } from "../base/forms.ts";
import { encodePem } from "../base/pem.ts";
import type { Mount } from "../engine/mount.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { hostRefusal } from "../net/guarded-fetch-target.ts";
import { outgoingScope } from "../net/outgoing-scope.ts";
import { parseTrustedRoots } from "../net/trusted-roots.ts";
import { urlFault } from "../net/url-fault.ts";
import { instant, int, list, listOf, text, withNormalForm, type Parsed } from "../wire/field.ts";
import { requiredCosignatures, type LogConfig, type Witness } from "./rows/records.ts";
import { witnessState } from "./rows/witness-state.ts";
import { parseWitnessKey } from "./tree/cosignature.ts";

/** Maximum number of witnesses of a log. */
const maxWitnesses = 20;

/** Response fields about witnesses. */
export const witnessReply = {
  witnesses: list.required("Verifier key and URL of each witness."),
  witnesses_required: int.required("Number of cosignatures that a checkpoint requires."),
  ca_pem: text.required(
    "CA certificates (PEM) that are trusted for the witnesses' servers; if empty, the platform's CAs are trusted.",
  ),
  witness_failures: listOf({
    name: text.required("Name of the witness."),
    reason: text.required("Reason why the witness did not cosign the last checkpoint."),
  }).optional("Witnesses that did not cosign the last checkpoint."),
  unpublished_since: instant.optional(
    "Time since which fewer witnesses than required have cosigned, so that no checkpoint is published.",
  ),
} as const;
/** Normalizes a witness to its key, a single space and its URL without a trailing slash. */
const witnessForm: TextForm = (sent) => {
  const [key = "", ...urls] = sent.trim().split(/\s+/);
  return [key, ...urls.map((url) => withoutEnd(uriForm(url), "/"))].join(" ");
};
/** Request fields about witnesses. */
export const witnessFields = {
  witnesses: withNormalForm(list, listForm(witnessForm)).optional(
    "Witnesses that cosign checkpoints (C2SP tlog-witness), each as a verifier key, a space and a URL.",
  ),
  witnesses_required: int.optional(
    "Number of cosignatures that a checkpoint must have to be published; by default, the number of witnesses.",
  ),
  ca_pem: text.optional(
    "CA certificates (PEM). Each witness's server certificate must chain to one of them. By default, the platform's CAs are used.",
  ),
} as const;
type WitnessInput = Parsed<typeof witnessFields>;
type WitnessOutput = Parsed<typeof witnessReply>;

/** Returns the witness settings, formatted for responses. */
export const witnessOutput = (
  log: LogConfig,
): Pick<WitnessOutput, "witnesses" | "witnesses_required" | "ca_pem"> => ({
  witnesses: log.witnesses.map(({ key, url }) => `${key} ${url}`),
  witnesses_required: requiredCosignatures(log),
  ca_pem: log.roots.map((der) => `${encodePem("CERTIFICATE", der)}\n`).join(""),
});
/**
 * Returns the failures of the last attempt to have a checkpoint cosigned, and the time since which
 * no checkpoint is published.
 */
export async function lastAttempt(
  mount: Mount,
  config: Snapshot,
): Promise<Pick<WitnessOutput, "witness_failures" | "unpublished_since">> {
  const { since, failures } = await witnessState(mount, config);
  return {
    ...(failures.length > 0 ? { witness_failures: failures } : {}),
    ...(since > 0 ? { unpublished_since: Math.floor(since / 1000) } : {}),
  };
}

/** Reports whether a request sets any witness setting. */
export const sendsWitnesses = ({ witnesses, witnesses_required, ca_pem }: WitnessInput): boolean =>
  witnesses !== undefined || witnesses_required !== undefined || ca_pem !== undefined;

/** Returns the witness settings after a change. Throws `malformed` if they are invalid. */
export function changedWitnesses(
  mount: Mount,
  current: LogConfig,
  input: WitnessInput,
): Pick<LogConfig, "witnesses" | "roots" | "required"> {
  const roots = input.ca_pem === undefined ? current.roots : parseTrustedRoots(input.ca_pem);
  const witnesses = input.witnesses?.map(parseWitness) ?? current.witnesses;
  const required = input.witnesses_required ?? current.required;
  if (witnesses.length > maxWitnesses)
    throw malformed(
      `witnesses: must have at most ${maxWitnesses} entries, got ${witnesses.length}`,
    );
  if (new Set(witnesses.map(({ key }) => key)).size < witnesses.length)
    throw malformed("witnesses: a verifier key occurs twice; list each witness once");
  if (required !== undefined && (required < 0 || required > witnesses.length))
    throw malformed(
      `witnesses_required: expected 0 to ${witnesses.length}, the number of witnesses, got ${required}`,
    );
  for (const { url } of sendsWitnesses(input) ? witnesses : []) {
    const refusal = hostRefusal(url, outgoingScope(mount.storeContext, roots));
    if (refusal !== undefined) throw malformed(`witnesses: ${refusal}`);
  }
  return { witnesses, roots, ...(required === undefined ? {} : { required }) };
}
function parseWitness(sent: string): Witness {
  const [key = "", url = "", ...rest] = sent.trim().split(/\s+/);
  if (!parseWitnessKey(key) || rest.length > 0)
    throw malformed(
      `witnesses: expected a verifier key of a witness (type 4), a space and a URL, got ${JSON.stringify(sent.slice(0, 200))}`,
    );
  const fault = urlFault(url) ?? (new URL(url).search === "" ? undefined : "must not have a query");
  if (fault !== undefined) throw malformed(`witnesses: the URL of ${key.split("+")[0]} ${fault}`);
  return { key, url: withoutEnd(uriForm(url), "/") };
}
