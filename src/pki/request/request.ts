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
import { parseName } from "../../x509/name.ts";
import { extensionOid, nameOid } from "../../x509/oid.ts";
import { parseSan, type GeneralNames } from "../../x509/san.ts";
import { readBasicConstraints } from "../../x509/basic-constraints.ts";

/** A certificate signing request, read and ready to be judged. */
export interface SigningRequest {
  readonly csr: Csr;
  readonly publicKey: PublicKey;
  readonly commonName: string;
  readonly subjectSerial: string;
  readonly userIds: readonly string[];
  readonly names: GeneralNames;
  /** Alternative names of a kind that cannot be read. */
  readonly unreadable: readonly string[];
  readonly hasBasicConstraints: boolean;
  readonly asksForCa: boolean;
}

const noNames: GeneralNames = { dns: [], email: [], ip: [], uri: [], other: [] };

/**
 * Reads the first PEM block of `text` as a CSR (A 8.4). Throws `bad_csr`, or `bad_key` for a key no
 * certificate is given for.
 */
export function readRequest(text: string): SigningRequest {
  if (text === "") throw new CaError("bad_csr", '"csr" is empty');
  const [block] = blocksOf(text);
  if (!block) throw new CaError("bad_csr", "csr contains no data");
  return requestOf(asCsr(() => parseCsr(block.der)));
}

/** A CSR ready to be judged. Throws as `readRequest` does. */
export function requestOf(csr: Csr): SigningRequest {
  const publicKey = parsePublicKey(csr.spki);
  const subject = asCsr(() => parseName(csr.subject)).flat();
  const opaque = subject.find((part) => part.opaque);
  if (opaque)
    throw new CaError(
      "bad_csr",
      `certificate request could not be parsed: the value of ${opaque.oid} in the subject is not a text value`,
    );
  const valuesOf = (oid: string) =>
    subject.filter((part) => part.oid === oid).map((part) => part.value);
  const san = csr.extensions.find((extension) => extension.oid === extensionOid.subjectAltName);
  const basic = csr.extensions.find((extension) => extension.oid === extensionOid.basicConstraints);
  const read = asCsr(() => (san ? parseSan(san.value) : undefined));
  return {
    csr,
    publicKey,
    // of several common names the last one counts, as clients read it
    commonName: valuesOf(nameOid.commonName).at(-1) ?? "",
    subjectSerial: valuesOf(nameOid.serialNumber).at(-1) ?? "",
    userIds: valuesOf(nameOid.userId),
    names: read ?? noNames,
    unreadable: read?.unreadable ?? [],
    hasBasicConstraints: basic !== undefined,
    asksForCa: basic !== undefined && asCsr(() => readBasicConstraints(basic.value)).ca,
  };
}
/** The first block: what stands behind it is not read (A 8.4 rule 1). */
function blocksOf(text: string) {
  const end = text.indexOf("-----END ", Math.max(0, text.search(/^-----BEGIN /m)));
  const behind = end < 0 ? -1 : text.slice(end).search(/[\r\n]/);
  try {
    return decodePem(behind < 0 ? text : text.slice(0, end + behind));
  } catch {
    throw new CaError("bad_csr", "csr contains no data");
  }
}
/** Reads a part of a CSR; what cannot be read is refused as `bad_csr`. */
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
 * Refuses a request whose key is too small or of the wrong type for a role (A 8.4), and keys known
 * to be weak. `minimum` is 0 where only the general limits count.
 */
export function checkRequestKey(
  { publicKey }: SigningRequest,
  keyType: string,
  minimum: number,
): void {
  if (keyType !== "any" && publicKey.type !== keyType)
    throw new CaError("bad_key", `role requires keys of type ${keyType}`);
  const unsafe = tooSmall(publicKey.algorithm, publicKey.bits);
  if (unsafe && minimum < (publicKey.algorithm.minSize ?? 0)) throw new CaError("bad_key", unsafe);
  if (keyType !== "any" && publicKey.bits < minimum)
    throw new CaError(
      "bad_key",
      `role requires a minimum of a ${minimum}-bit key, but CSR's key is ${publicKey.bits} bits`,
    );
  checkPublicKey(publicKey);
}

/** Refuses a request that the holder of its key did not sign. SHA-1 and MD5 sign nothing (D 3). */
export async function checkRequestSignature(
  { csr }: SigningRequest,
  code: "bad_csr" | "malformed" = "bad_csr",
): Promise<void> {
  if (!(await verifyCsr(csr)))
    throw new CaError(code, `request signature invalid (${algorithmName(csr.algorithm)})`);
}
