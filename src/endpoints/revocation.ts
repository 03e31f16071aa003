import { revoke, revokeWithKey } from "../pki/revoke/revoke.ts";
import { signSelfIssued, signSelfIssuedWith } from "../pki/ca/self-issued.ts";
import * as issuerWrite from "../pki/ca/issuer-write.ts";
import * as issuerDelete from "../pki/ca/issuer-delete.ts";
import { revokeIssuer } from "../pki/ca/issuer-revoke.ts";
import { resignCrls, signRevocationList } from "../pki/crl/unstored-crls.ts";
import * as crlConfig from "../pki/config/crl-config.ts";
import { rotateCrl, rotateDeltaCrl } from "../pki/config/crl-rotate.ts";

/**
 * Endpoints that revoke certificates, configure and build CRLs, and change, replace, revoke and
 * delete issuers.
 */
export const revocation = [
  revoke,
  revokeWithKey,
  revokeIssuer,
  issuerWrite.writeIssuer,
  issuerWrite.patchIssuer,
  issuerDelete.deleteIssuer,
  issuerDelete.deleteRoot,
  signSelfIssued,
  signSelfIssuedWith,
  resignCrls,
  signRevocationList,
  crlConfig.readCrlConfig,
  crlConfig.writeCrlConfig,
  rotateCrl,
  rotateDeltaCrl,
] as const;
