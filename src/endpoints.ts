import type { Job } from "./jobs.ts";
import * as authority from "./pki/authority.ts";
import * as certs from "./pki/certs.ts";
import * as config from "./pki/config.ts";
import { crlJob, crlRenewal } from "./pki/crl.ts";
import { setSigned } from "./pki/import.ts";
import { generateExportedIntermediate, generateIntermediate } from "./pki/intermediate.ts";
import { issue } from "./pki/issue.ts";
import * as issuers from "./pki/issuers.ts";
import { revoke } from "./pki/revoke.ts";
import * as roles from "./pki/roles.ts";
import { generateExportedRoot, generateRoot } from "./pki/root.ts";
import { sign } from "./pki/sign.ts";
import { signIntermediate } from "./pki/signintermediate.ts";
import * as health from "./sys/health.ts";
import * as mounts from "./sys/mounts.ts";
import { rotateSeal } from "./sys/rotate.ts";
import { openapiSpec } from "./sys/specs.ts";

/** Every endpoint of a CA mount. Paths are relative to the mount; the ones asked most come first, because routes are tried in order. */
export const pki = [
  issue,
  sign,
  authority.readCaPem,
  authority.readCrl,
  authority.readCa,
  authority.readCaChain,
  authority.readCrlPem,
  revoke,
  certs.readCert,
  certs.readCertRaw,
  certs.readCertPem,
  certs.listCerts,
  certs.listRevoked,
  roles.listRoles,
  roles.readRole,
  roles.writeRole,
  roles.deleteRole,
  generateRoot,
  generateExportedRoot,
  generateIntermediate,
  generateExportedIntermediate,
  signIntermediate,
  setSigned,
  issuers.listIssuers,
  authority.readIssuerJson,
  authority.readIssuerPem,
  authority.readIssuerDer,
  authority.readIssuerCrl,
  authority.readIssuerCrlDer,
  authority.readIssuerCrlPem,
  issuers.readIssuer,
  issuers.readIssuersConfig,
  issuers.writeIssuersConfig,
  config.readUrls,
  config.writeUrls,
  config.readCluster,
  config.writeCluster,
  config.readCrlConfig,
  config.writeCrlConfig,
  config.rotateCrl,
] as const;

/** Every endpoint below `/v1/sys`. */
export const sys = [
  health.health,
  health.sealStatus,
  mounts.listMounts,
  mounts.readTune,
  mounts.writeTune,
  mounts.readMount,
  mounts.createMount,
  mounts.deleteMount,
  rotateSeal,
  openapiSpec,
] as const;

/** Every endpoint of the variables API below `/api/v2`, and what clients look for outside. */
export { vars, wellKnown } from "./vars/api.ts";

/** Everything that time or a change sets going. */
export const jobs: readonly Job[] = [crlJob, crlRenewal];
