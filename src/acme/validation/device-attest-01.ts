import { fromBase64Url } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { importOnce } from "../../base/memo.ts";
import { isDeviceType } from "../../x509/device-name.ts";
import type { ResponseChallenge } from "./challenge-type.ts";

/** Imported on demand, when a device responds. */
const attestation = importOnce(() => import("../attestation/verify-attestation.ts"));

/**
 * device-attest-01: a device attests its name and the key of the certificate
 * (draft-ietf-acme-device-attest-09 section 5).
 */
export const deviceAttest01: ResponseChallenge<"device-attest-01"> = {
  name: "device-attest-01",
  isOfferedFor: ({ type }) => isDeviceType(type),
  respond({ attObj }) {
    const object =
      typeof attObj === "string" ? fromBase64Url(attObj.replace(/={1,2}$/, "")) : undefined;
    if (!object?.length)
      throw new CaError(
        "malformed",
        "attObj must be the attestation object as base64url-encoded CBOR",
      );
    return async ({ identifier, proof, config, now }) => {
      const { verifyAttestation } = await attestation();
      return verifyAttestation(object, { identifier, proof, config, now });
    };
  },
};
