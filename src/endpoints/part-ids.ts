// Made by `npm run generate`; what is changed here is lost.

/** Ids of the endpoints of a CA mount, by part. */
export const pkiIds: Readonly<Record<string, string>> = {
  issue: "issue sign signVerbatim",
  reads:
    "listCerts listRevoked readCa readCaCert readCaChain readCaPem readCert readCertPem readCertRaw readChainCert readCrl readCrlCert readCrlPem readDeltaCrl readDeltaCrlCert readDeltaCrlPem readIssuerCrl readIssuerCrlDer readIssuerCrlPem readIssuerDeltaCrl readIssuerDeltaCrlDer readIssuerDeltaCrlPem readIssuerDer readIssuerJson readIssuerPem readIssuerShardCrl readIssuerShardCrlPem readIssuerShardDelta readIssuerShardDeltaPem readIssuerUnifiedCrl readIssuerUnifiedCrlDer readIssuerUnifiedCrlPem readIssuerUnifiedDeltaCrl readIssuerUnifiedDeltaCrlDer readIssuerUnifiedDeltaCrlPem readShardCrl readShardCrlPem readShardDelta readShardDeltaPem readUnifiedCrl readUnifiedCrlCert readUnifiedCrlPem readUnifiedDeltaCrl readUnifiedDeltaCrlCert readUnifiedDeltaCrlPem",
  ocsp: "askOcsp askUnifiedOcsp readOcsp readUnifiedOcsp",
  revoke:
    "readCrlConfig resignCrls revoke revokeIssuer revokeWithKey rotateCrl rotateDeltaCrl signRevocationList writeCrlConfig",
  ca: "deleteIssuer deleteKey deleteRoot generateCaKey generateExportedCaKey generateExportedIntermediate generateExportedRoot generateIntermediate generateIntermediateFromKey generateIntermediateFromManagedKey generateManagedCaKey generateRoot generateRootFromKey generateRootFromManagedKey importBundle importCertificates importKey listIssuers listKeys patchIssuer readIssuer readIssuersConfig readKey readKeysConfig replaceRoot rotateExportedRoot rotateRoot rotateRootFromKey rotateRootFromManagedKey setSigned signIntermediate signSelfIssued signSelfIssuedWith writeIssuer writeIssuersConfig writeKey writeKeysConfig",
  config:
    "checkExternalPolicy deleteRole fillUrls listRoles patchRole readAcmeConfig readCluster readEstConfig readExternalPolicy readRole readUrls writeAcmeConfig writeCluster writeEstConfig writeExternalPolicy writeRole writeUrls",
  operations:
    "deleteEab deleteResponder explainIssue explainSign explainVerbatim issueByPolicy listAcmeAccounts listAcmeOrders listCertDetails listCertMetadata listEab listRevocationQueue listUnifiedRevoked makeResponder newEab readAcmeAccount readAutoTidy readCertBatch readCertMetadata readResponder revokeFound searchCerts signByPolicy signIntermediateByPolicy tidy tidyCancel tidyStatus writeAcmeAccount writeAutoTidy",
};

/** Ids of the endpoints below `/v1/sys`, by part. */
export const sysIds: Readonly<Record<string, string>> = {
  state: "health init initStatus leader seal sealStatus unseal",
  system:
    "auditHash backUp backUpStore beginAnew capabilities capabilitiesAccessor capabilitiesSelf checkBackup countLeases countStrangers createMount deleteAuditSink deleteCors deleteManagedKey deleteMount deletePolicy deleteQuota deleteRules disableAuditDevice disableMethod enableAuditDevice enableMethod forceRevokeLeases hashData listAuditDevices listAuditEvents listCatalog listLeases listManagedKeys listMethods listMounts listPolicies listQuotas listRules listVisibleMounts lookupLease lookupLeaseAt lookupWrapping openapiSpec randomBytes readAuditSink readCatalog readCors readManagedKey readMethod readMethodTune readMetrics readMount readMountedMethod readMountedTune readPlugin readPolicy readQuota readQuotaConfig readRemount readRules readTune readVisibleMount remount renewLease restore restoreStore resultantAcl revokeLease revokeLeases rewrapReply rotateSeal testManagedKey testPolicies tidyLeases unlockUser unwrap versionHistory wrapData writeAuditSink writeCors writeManagedKey writeMethodTune writeMountedTune writePolicy writeQuota writeQuotaConfig writeRules writeTune",
};
