import { revoke, revokeWithKey } from "../pki/revoke/revoke.ts";
import { revokeIssuer } from "../pki/ca/issuer-revoke.ts";
import { resignCrls, signRevocationList } from "../pki/crl/unstored-crls.ts";
import * as crlConfig from "../pki/config/crl-config.ts";
import { rotateCrl, rotateDeltaCrl } from "../pki/config/crl-rotate.ts";

/** Endpoints that revoke certificates, and that configure and build CRLs. */
export const revocation = [
  revoke,
  revokeWithKey,
  revokeIssuer,
  resignCrls,
  signRevocationList,
  crlConfig.readCrlConfig,
  crlConfig.writeCrlConfig,
  rotateCrl,
  rotateDeltaCrl,
] as const;
