import { tooSmall } from "../../algorithms/table.ts";
import { decodePem } from "../../base/pem.ts";
import { CaError } from "../../base/errors.ts";
import { parseCsr, verifyCsr, type Csr } from "../../x509/csr.ts";
import {
  algorithmName,
  checkPublicKey,
  parsePublicKey,
  type PublicKey,
} from "../../x509/public-key.ts";
import { parseName, valuesOfType } from "../../x509/name.ts";
import { extensionOid, nameOid } from "../../x509/oid.ts";
import { parseSan, type GeneralNames } from "../../x509/san.ts";
import { readBasicConstraints } from "../../x509/basic-constraints.ts";

/** A parsed CSR, with the values that the checks need. */
export interface SigningRequest {
  readonly csr: Csr;
  readonly publicKey: PublicKey;
  readonly commonName: string;
  readonly subjectSerial: string;
  readonly userIds: readonly string[];
  readonly names: GeneralNames;
  /** Descriptions of alternative names of unsupported types. */
  readonly unreadable: readonly string[];
  readonly hasBasicConstraints: boolean;
  readonly asksForCa: boolean;
}

const noNames: GeneralNames = { dns: [], email: [], ip: [], uri: [], other: [] };

/**
 * Parses the first PEM block of `text` as a CSR (A 8.4). Throws `bad_csr` if there is no valid CSR,
 * or `bad_key` if its public key is not supported.
 */
export function readRequest(text: string): SigningRequest {
  if (text === "") throw new CaError("bad_csr", '"csr" is empty');
  const [block] = blocksOf(text);
  if (!block) throw new CaError("bad_csr", "csr contains no data");
  return requestOf(asCsr(() => parseCsr(block.der)));
}

/** Parses those parts of a CSR that the checks need. Throws as `readRequest` does. */
export function requestOf(csr: Csr): SigningRequest {
  const publicKey = parsePublicKey(csr.spki);
  const subject = asCsr(() => parseName(csr.subject));
  const opaque = subject.flat().find((part) => part.opaque);
  if (opaque)
    throw new CaError(
      "bad_csr",
      `certificate request could not be parsed: the value of ${opaque.oid} in the subject is not a string`,
    );
  const san = csr.extensions.find((extension) => extension.oid === extensionOid.subjectAltName);
  const basic = csr.extensions.find((extension) => extension.oid === extensionOid.basicConstraints);
  const read = asCsr(() => (san ? parseSan(san.value) : undefined));
  return {
    csr,
    publicKey,
    // if there are several common names, the last one counts, as in clients
    commonName: valuesOfType(subject, nameOid.commonName).at(-1) ?? "",
    subjectSerial: valuesOfType(subject, nameOid.serialNumber).at(-1) ?? "",
    userIds: valuesOfType(subject, nameOid.userId),
    names: read ?? noNames,
    unreadable: read?.unreadable ?? [],
    hasBasicConstraints: basic !== undefined,
    asksForCa: basic !== undefined && asCsr(() => readBasicConstraints(basic.value)).ca,
  };
}
/**
 * Returns the first PEM block, ignoring what follows (A 8.4 rule 1). Throws `bad_csr` if it is
 * malformed.
 */
function blocksOf(text: string) {
  const end = text.indexOf("-----END ", Math.max(0, text.search(/^-----BEGIN /m)));
  const behind = end < 0 ? -1 : text.slice(end).search(/[\r\n]/);
  try {
    return decodePem(behind < 0 ? text : text.slice(0, end + behind));
  } catch {
    throw new CaError("bad_csr", "csr contains no data");
  }
}
/** Parses a part of a CSR with `read`. Throws `bad_csr` if `read` throws a CaError. */
export function asCsr<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CaError)
      throw new CaError("bad_csr", `certificate request could not be parsed: ${error.message}`);
    throw error;
  }
}

/**
 * Throws `bad_key` for a CSR whose key is weak, too small, or of the wrong type for a role (A 8.4).
 * `keyType` is the role's key type, or undefined if no role applies. `minimum` is the role's
 * minimum size, or 0 if only the general limits apply.
 */
export function checkRequestKey(
  { publicKey }: SigningRequest,
  keyType: string | undefined,
  minimum: number,
): void {
  const isAny = keyType === undefined || keyType === "any";
  if (!isAny && publicKey.type !== keyType)
    throw new CaError("bad_key", `role requires keys of type ${keyType}`);
  if (keyType === "any" && publicKey.algorithm.explicitOnly)
    throw new CaError(
      "bad_key",
      `the role's key_type "any" does not include ${publicKey.type}: use a role with key_type ${publicKey.type}`,
    );
  const unsafe = tooSmall(publicKey.algorithm, publicKey.bits);
  if (unsafe && minimum < (publicKey.algorithm.minSize ?? 0)) throw new CaError("bad_key", unsafe);
  if (!isAny && publicKey.bits < minimum)
    throw new CaError(
      "bad_key",
      `role requires a minimum of a ${minimum}-bit key, but CSR's key is ${publicKey.bits} bits`,
    );
  checkPublicKey(publicKey);
}

/**
 * Rejects a CSR that is not signed with its own key. Signatures with SHA-1 or MD5 are not accepted
 * (D 3).
 */
export async function checkRequestSignature(
  { csr }: SigningRequest,
  code: "bad_csr" | "malformed" = "bad_csr",
): Promise<void> {
  if (!(await verifyCsr(csr)))
    throw new CaError(code, `request signature invalid (${algorithmName(csr.algorithm)})`);
}
