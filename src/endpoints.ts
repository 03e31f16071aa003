import { loginJobs } from "./endpoints/login-jobs.ts";
import type { Job } from "./engine/deployment.ts";
import * as estConfig from "./est/config.ts";
import { expiryJob } from "./acme/front/expiry.ts";
import * as accounts from "./acme/account/administration.ts";
import * as eab from "./acme/account/eab.ts";
import { listOrders } from "./acme/order/recent-orders.ts";
import * as byPolicy from "./external/issue/endpoints.ts";
import { pkiMounts } from "./pki/config/mount-type.ts";
import { parameters } from "./pki/request/parameters.ts";
import * as caReads from "./pki/lookup/ca-reads.ts";
import * as issuerCrlReads from "./pki/lookup/issuer-crl-reads.ts";
import * as crlReads from "./pki/lookup/crl-reads.ts";
import * as shardReads from "./pki/lookup/shard-reads.ts";
import * as issuerReads from "./pki/lookup/issuer-reads.ts";
import * as certs from "./pki/lookup/certs.ts";
import * as certsClusters from "./pki/lookup/certs-clusters.ts";
import * as clusterConfig from "./pki/config/cluster-config.ts";
import * as externalPolicy from "./external/config.ts";
import * as acmeConfig from "./acme/config/acme-config.ts";
import { validationJob } from "./acme/validation/validation-job.ts";
import * as crlConfig from "./pki/config/crl-config.ts";
import { rotateCrl, rotateDeltaCrl } from "./pki/config/crl-rotate.ts";
import * as urlsConfig from "./pki/config/urls-config.ts";
import { fillUrls } from "./pki/config/urls-defaults.ts";
import { mountUnpublish } from "./pki/revocation/crl-unpublish.ts";
import * as explain from "./pki/leaf/explain.ts";
import * as imports from "./pki/ca/import.ts";
import {
  generateExportedIntermediate,
  generateIntermediate,
  generateIntermediateFromKey,
  generateIntermediateFromManagedKey,
} from "./pki/ca/intermediate.ts";
import { issue } from "./pki/leaf/issue.ts";
import * as issuers from "./pki/ca/issuers.ts";
import * as issuersConfig from "./pki/ca/issuers-config.ts";
import { resignCrls } from "./pki/revocation/resign-crls.ts";
import { signRevocationList } from "./pki/revocation/sign-revocation-list.ts";
import { revokeIssuer } from "./pki/ca/issuer-revoke.ts";
import * as issuerDelete from "./pki/ca/issuer-delete.ts";
import * as issuerWrite from "./pki/ca/issuer-write.ts";
import {
  generateCaKey,
  generateExportedCaKey,
  generateManagedCaKey,
} from "./pki/ca/key-generate.ts";
import { importKey } from "./pki/ca/key-import.ts";
import * as keys from "./pki/ca/keys.ts";
import * as keysConfig from "./pki/ca/keys-config.ts";
import * as metadata from "./pki/leaf/cert-metadata.ts";
import * as ocsp from "./pki/ocsp/ocsp.ts";
import * as ocspResponder from "./pki/ocsp/ocsp-responder.ts";
import { revoke } from "./pki/revocation/revoke.ts";
import { revokeWithKey } from "./pki/revocation/revoke-with-key.ts";
import * as roles from "./pki/leaf/roles.ts";
import * as root from "./pki/ca/root.ts";
import { listCertDetails } from "./pki/lookup/certs-detailed.ts";
import { revokeFound } from "./pki/lookup/revoke-found.ts";
import { searchCerts } from "./pki/lookup/search.ts";
import { signSelfIssued, signSelfIssuedWith } from "./pki/ca/self-issued.ts";
import { sign } from "./pki/leaf/sign.ts";
import { signIntermediate } from "./pki/ca/sign-intermediate.ts";
import * as autoTidy from "./pki/tidy/auto-tidy.ts";
import * as tidy from "./pki/tidy/tidy.ts";
import { tidyStatus } from "./pki/tidy/status.ts";
import { signVerbatim } from "./pki/leaf/verbatim.ts";
import { tokenEnd } from "./auth/token/end.ts";
import { sinkJob } from "./sys/audit/index.ts";
import { mountDrop } from "./sys/drop.ts";
import { tokenLeases } from "./sys/lease/token-leases.ts";
import { remountJob } from "./sys/remount.ts";
import { wrappedEnd } from "./wire/wrapped-end.ts";

/**
 * Every endpoint of a CA mount. Paths are relative to the mount; the ones asked most come first,
 * because routes are tried in order.
 */
export const pki = [
  issue,
  sign,
  caReads.readCaPem,
  crlReads.readCrl,
  ocsp.askOcsp,
  ocsp.readOcsp,
  caReads.readCa,
  caReads.readCaChain,
  caReads.readCaCert,
  caReads.readChainCert,
  crlReads.readCrlCert,
  crlReads.readCrlPem,
  shardReads.readShardCrl,
  shardReads.readShardCrlPem,
  shardReads.readShardDelta,
  shardReads.readShardDeltaPem,
  signVerbatim,
  revoke,
  revokeWithKey,
  ocsp.askUnifiedOcsp,
  ocsp.readUnifiedOcsp,
  certs.readCert,
  certs.readCertRaw,
  certs.readCertPem,
  certs.listCerts,
  certs.listRevoked,
  certsClusters.listRevocationQueue,
  certsClusters.listUnifiedRevoked,
  listCertDetails,
  searchCerts,
  revokeFound,
  crlReads.readDeltaCrl,
  crlReads.readDeltaCrlPem,
  crlReads.readDeltaCrlCert,
  crlReads.readUnifiedCrl,
  crlReads.readUnifiedCrlPem,
  crlReads.readUnifiedCrlCert,
  crlReads.readUnifiedDeltaCrl,
  crlReads.readUnifiedDeltaCrlPem,
  crlReads.readUnifiedDeltaCrlCert,
  metadata.readCertMetadata,
  metadata.listCertMetadata,
  metadata.readCertBatch,
  roles.listRoles,
  roles.readRole,
  roles.writeRole,
  roles.patchRole,
  roles.deleteRole,
  // the plain forms come last: they also answer for words that name no form
  root.generateExportedRoot,
  root.generateRootFromKey,
  root.generateRootFromManagedKey,
  root.generateRoot,
  root.rotateExportedRoot,
  root.rotateRootFromKey,
  root.rotateRootFromManagedKey,
  root.rotateRoot,
  generateExportedIntermediate,
  generateIntermediateFromKey,
  generateIntermediateFromManagedKey,
  generateIntermediate,
  signIntermediate,
  signSelfIssued,
  signSelfIssuedWith,
  imports.setSigned,
  imports.importCertificates,
  imports.importBundle,
  byPolicy.issueByPolicy,
  byPolicy.signByPolicy,
  byPolicy.signCaByPolicy,
  explain.explainIssue,
  explain.explainSign,
  explain.explainVerbatim,
  issuers.listIssuers,
  issuerReads.readIssuerJson,
  issuerReads.readIssuerPem,
  issuerReads.readIssuerDer,
  issuerCrlReads.readIssuerCrl,
  issuerCrlReads.readIssuerCrlDer,
  issuerCrlReads.readIssuerCrlPem,
  shardReads.readIssuerShardCrl,
  shardReads.readIssuerShardCrlPem,
  shardReads.readIssuerShardDelta,
  shardReads.readIssuerShardDeltaPem,
  issuerCrlReads.readIssuerDeltaCrl,
  issuerCrlReads.readIssuerDeltaCrlDer,
  issuerCrlReads.readIssuerDeltaCrlPem,
  issuerCrlReads.readIssuerUnifiedCrl,
  issuerCrlReads.readIssuerUnifiedCrlDer,
  issuerCrlReads.readIssuerUnifiedCrlPem,
  issuerCrlReads.readIssuerUnifiedDeltaCrl,
  issuerCrlReads.readIssuerUnifiedDeltaCrlDer,
  issuerCrlReads.readIssuerUnifiedDeltaCrlPem,
  revokeIssuer,
  resignCrls,
  signRevocationList,
  ocspResponder.makeResponder,
  ocspResponder.readResponder,
  ocspResponder.deleteResponder,
  issuers.readIssuer,
  issuerWrite.writeIssuer,
  issuerWrite.patchIssuer,
  issuerDelete.deleteIssuer,
  issuerDelete.deleteRoot,
  keys.listKeys,
  generateCaKey,
  generateExportedCaKey,
  generateManagedCaKey,
  importKey,
  keys.readKey,
  keys.writeKey,
  keys.deleteKey,
  keysConfig.readKeysConfig,
  keysConfig.writeKeysConfig,
  issuersConfig.readIssuersConfig,
  issuersConfig.writeIssuersConfig,
  issuersConfig.replaceRoot,
  urlsConfig.readUrls,
  urlsConfig.writeUrls,
  fillUrls,
  clusterConfig.readCluster,
  clusterConfig.writeCluster,
  acmeConfig.readAcmeConfig,
  acmeConfig.writeAcmeConfig,
  estConfig.readEstConfig,
  estConfig.writeEstConfig,
  externalPolicy.readExternalPolicy,
  externalPolicy.writeExternalPolicy,
  externalPolicy.checkExternalPolicy,
  listOrders,
  crlConfig.readCrlConfig,
  crlConfig.writeCrlConfig,
  rotateCrl,
  rotateDeltaCrl,
  tidy.tidy,
  tidy.tidyCancel,
  tidyStatus,
  autoTidy.readAutoTidy,
  autoTidy.writeAutoTidy,
  eab.newEab,
  eab.listEab,
  eab.deleteEab,
  accounts.listAccounts,
  accounts.readAccount,
  accounts.writeAccount,
] as const;

export { methodTypes } from "./endpoints/method-types.ts";
/** Every endpoint below `/v1/sys`. */
export { sys } from "./endpoints/system.ts";

/** The types of mounts: what a new one begins with, what it answers, and its jobs. */
export const mountTypes = {
  pki: {
    ...pkiMounts,
    endpoints: pki,
    later: async () => ({ endpoints: (await import("./endpoints/rest.ts")).protocols }),
    parameters,
    jobs: [...pkiMounts.jobs, expiryJob, validationJob],
  },
} as const;

/** What time or a change sets going in the system's own store. */
export const jobs: readonly Job[] = [
  tokenEnd,
  mountUnpublish,
  mountDrop,
  wrappedEnd,
  tokenLeases,
  remountJob,
  sinkJob,
  ...loginJobs,
];
