import { byteReader } from "./byte-reader.ts";
import { badAttestation } from "./format.ts";

/**
 * The magic number at the beginning of every structure that a TPM signs, and the type of a
 * structure that certifies a key.
 */
const [magic, certify] = [0xff544347, 0x8017];

/** A TPM's certification of a key. */
interface KeyCertification {
  /** Data from the caller: a hash of the key authorization. */
  readonly extraData: Uint8Array;
  /** The name of the certified key. */
  readonly name: Uint8Array;
}

/**
 * Parses a TPMS_ATTEST (TPM 2.0 Library, part 2, section 10.12.8) that certifies a key, as
 * TPM2_Certify returns it.
 */
export function parseKeyCertification(info: Uint8Array): KeyCertification {
  const reader = byteReader(info, "certInfo");
  if (reader.u32("magic") !== magic)
    throw badAttestation("certInfo was not made by a TPM: its magic is not TPM_GENERATED_VALUE");
  if (reader.u16("the type") !== certify)
    throw badAttestation("certInfo does not certify a key: its type is not TPM_ST_ATTEST_CERTIFY");
  reader.sized("the signer");
  const extraData = reader.sized("extraData");
  // clock, resetCount, restartCount, safe, and the firmware version
  reader.bytes(8 + 4 + 4 + 1 + 8, "clock and firmware version");
  const name = reader.sized("the name");
  reader.sized("the qualified name");
  reader.end();
  return { extraData, name };
}
