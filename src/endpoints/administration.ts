import * as certsClusters from "../pki/lookup/certs-clusters.ts";
import { listCertDetails } from "../pki/lookup/certs-detailed.ts";
import { searchCerts } from "../pki/lookup/search.ts";
import { revokeFound } from "../pki/lookup/revoke-found.ts";
import * as metadata from "../pki/leaf/cert-metadata.ts";
import * as byPolicy from "../external/issue/endpoints.ts";
import * as explain from "../pki/leaf/explain.ts";
import * as ocspResponder from "../pki/ocsp/ocsp-responder.ts";
import { listOrders } from "../acme/order/recent-orders.ts";
import * as acmeConfig from "../acme/config/acme-config.ts";
import * as log from "../log/config.ts";
import * as logReads from "../log/reads.ts";
import * as tidy from "../pki/tidy/tidy.ts";
import { tidyStatus } from "../pki/tidy/status.ts";
import * as autoTidy from "../pki/tidy/auto-tidy.ts";
import { newEab } from "../acme/account/eab.ts";
import * as eab from "../acme/account/eab-administration.ts";
import * as accounts from "../acme/account/administration.ts";

/**
 * Endpoints for searches, dry runs, tidying, external services, the ACME settings and the mount's
 * log.
 */
export const administration = [
  certsClusters.listRevocationQueue,
  certsClusters.listUnifiedRevoked,
  listCertDetails,
  searchCerts,
  revokeFound,
  metadata.readCertMetadata,
  metadata.listCertMetadata,
  metadata.readCertBatch,
  byPolicy.issueByPolicy,
  byPolicy.signByPolicy,
  byPolicy.signCaByPolicy,
  explain.explainIssue,
  explain.explainSign,
  explain.explainVerbatim,
  ocspResponder.makeResponder,
  ocspResponder.readResponder,
  ocspResponder.deleteResponder,
  listOrders,
  tidy.tidy,
  tidy.tidyCancel,
  tidyStatus,
  autoTidy.readAutoTidy,
  autoTidy.writeAutoTidy,
  acmeConfig.readAcmeConfig,
  acmeConfig.writeAcmeConfig,
  log.readLogConfig,
  log.writeLogConfig,
  logReads.readLogCheckpoint,
  logReads.readLogTile,
  newEab,
  eab.listEab,
  eab.readEab,
  eab.tightenEab,
  eab.deleteEab,
  accounts.listAccounts,
  accounts.readAccount,
  accounts.writeAccount,
] as const;
