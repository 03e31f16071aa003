// Made by `npm run generate`; what is changed here is lost.
import type { PkiClient } from "../../../src/client/pki.ts";
import type { Endpoint } from "../endpoint.ts";

export const issue: Endpoint<PkiClient["issue"]> =
  "POST issuer/:issuer_ref/issue/:role|POST issue/:role";
export const sign: Endpoint<PkiClient["sign"]> =
  "POST issuer/:issuer_ref/sign/:role|POST sign/:role";
export const signVerbatim: Endpoint<PkiClient["signVerbatim"]> =
  "POST issuer/:path_ref/sign-verbatim/:role+|" +
  "POST sign-verbatim/:role+|" +
  "POST issuer/:path_ref/sign-verbatim|" +
  "POST sign-verbatim";
export const readCaPem: Endpoint<PkiClient["readCaPem"]> = "GET ca/pem open";
export const readCa: Endpoint<PkiClient["readCa"]> = "GET ca open";
export const readCaChain: Endpoint<PkiClient["readCaChain"]> = "GET ca_chain open";
export const readCaCert: Endpoint<PkiClient["readCaCert"]> = "GET cert/ca open";
export const readChainCert: Endpoint<PkiClient["readChainCert"]> = "GET cert/ca_chain open";
export const readCrl: Endpoint<PkiClient["readCrl"]> = "GET crl open";
export const readCrlPem: Endpoint<PkiClient["readCrlPem"]> = "GET crl/pem open";
export const readCrlCert: Endpoint<PkiClient["readCrlCert"]> = "GET cert/crl open";
export const readDeltaCrl: Endpoint<PkiClient["readDeltaCrl"]> = "GET crl/delta open";
export const readDeltaCrlPem: Endpoint<PkiClient["readDeltaCrlPem"]> = "GET crl/delta/pem open";
export const readDeltaCrlCert: Endpoint<PkiClient["readDeltaCrlCert"]> = "GET cert/delta-crl open";
export const readUnifiedCrl: Endpoint<PkiClient["readUnifiedCrl"]> = "GET unified-crl open";
export const readUnifiedCrlPem: Endpoint<PkiClient["readUnifiedCrlPem"]> =
  "GET unified-crl/pem open";
export const readUnifiedCrlCert: Endpoint<PkiClient["readUnifiedCrlCert"]> =
  "GET cert/unified-crl open";
export const readUnifiedDeltaCrl: Endpoint<PkiClient["readUnifiedDeltaCrl"]> =
  "GET unified-crl/delta open";
export const readUnifiedDeltaCrlPem: Endpoint<PkiClient["readUnifiedDeltaCrlPem"]> =
  "GET unified-crl/delta/pem open";
export const readUnifiedDeltaCrlCert: Endpoint<PkiClient["readUnifiedDeltaCrlCert"]> =
  "GET cert/unified-delta-crl open";
export const readShardCrl: Endpoint<PkiClient["readShardCrl"]> = "GET crl/shard/:shard open";
export const readShardCrlPem: Endpoint<PkiClient["readShardCrlPem"]> =
  "GET crl/pem/shard/:shard open";
export const readShardDelta: Endpoint<PkiClient["readShardDelta"]> =
  "GET crl/delta/shard/:shard open";
export const readShardDeltaPem: Endpoint<PkiClient["readShardDeltaPem"]> =
  "GET crl/delta/pem/shard/:shard open";
export const readCert: Endpoint<PkiClient["readCert"]> = "GET cert/:serial open";
export const readCertRaw: Endpoint<PkiClient["readCertRaw"]> = "GET cert/:serial/raw open";
export const readCertPem: Endpoint<PkiClient["readCertPem"]> = "GET cert/:serial/raw/pem open";
export const listCerts: Endpoint<PkiClient["listCerts"]> = "LIST certs";
export const listRevoked: Endpoint<PkiClient["listRevoked"]> = "LIST certs/revoked";
export const readIssuerJson: Endpoint<PkiClient["readIssuerJson"]> =
  "GET issuer/:issuer_ref/json open";
export const readIssuerPem: Endpoint<PkiClient["readIssuerPem"]> =
  "GET issuer/:issuer_ref/pem open";
export const readIssuerDer: Endpoint<PkiClient["readIssuerDer"]> =
  "GET issuer/:issuer_ref/der open";
export const readIssuerCrl: Endpoint<PkiClient["readIssuerCrl"]> =
  "GET issuer/:issuer_ref/crl open";
export const readIssuerCrlDer: Endpoint<PkiClient["readIssuerCrlDer"]> =
  "GET issuer/:issuer_ref/crl/der open";
export const readIssuerCrlPem: Endpoint<PkiClient["readIssuerCrlPem"]> =
  "GET issuer/:issuer_ref/crl/pem open";
export const readIssuerDeltaCrl: Endpoint<PkiClient["readIssuerDeltaCrl"]> =
  "GET issuer/:issuer_ref/crl/delta open";
export const readIssuerDeltaCrlDer: Endpoint<PkiClient["readIssuerDeltaCrlDer"]> =
  "GET issuer/:issuer_ref/crl/delta/der open";
export const readIssuerDeltaCrlPem: Endpoint<PkiClient["readIssuerDeltaCrlPem"]> =
  "GET issuer/:issuer_ref/crl/delta/pem open";
export const readIssuerUnifiedCrl: Endpoint<PkiClient["readIssuerUnifiedCrl"]> =
  "GET issuer/:issuer_ref/unified-crl open";
export const readIssuerUnifiedCrlDer: Endpoint<PkiClient["readIssuerUnifiedCrlDer"]> =
  "GET issuer/:issuer_ref/unified-crl/der open";
export const readIssuerUnifiedCrlPem: Endpoint<PkiClient["readIssuerUnifiedCrlPem"]> =
  "GET issuer/:issuer_ref/unified-crl/pem open";
export const readIssuerUnifiedDeltaCrl: Endpoint<PkiClient["readIssuerUnifiedDeltaCrl"]> =
  "GET issuer/:issuer_ref/unified-crl/delta open";
export const readIssuerUnifiedDeltaCrlDer: Endpoint<PkiClient["readIssuerUnifiedDeltaCrlDer"]> =
  "GET issuer/:issuer_ref/unified-crl/delta/der open";
export const readIssuerUnifiedDeltaCrlPem: Endpoint<PkiClient["readIssuerUnifiedDeltaCrlPem"]> =
  "GET issuer/:issuer_ref/unified-crl/delta/pem open";
export const readIssuerShardCrl: Endpoint<PkiClient["readIssuerShardCrl"]> =
  "GET issuer/:issuer_ref/crl/shard/:shard open";
export const readIssuerShardCrlPem: Endpoint<PkiClient["readIssuerShardCrlPem"]> =
  "GET issuer/:issuer_ref/crl/pem/shard/:shard open";
export const readIssuerShardDelta: Endpoint<PkiClient["readIssuerShardDelta"]> =
  "GET issuer/:issuer_ref/crl/delta/shard/:shard open";
export const readIssuerShardDeltaPem: Endpoint<PkiClient["readIssuerShardDeltaPem"]> =
  "GET issuer/:issuer_ref/crl/delta/pem/shard/:shard open";
export const askOcsp: Endpoint<PkiClient["askOcsp"]> = "POST ocsp open";
export const readOcsp: Endpoint<PkiClient["readOcsp"]> = "GET ocsp/:request+ open";
export const askUnifiedOcsp: Endpoint<PkiClient["askUnifiedOcsp"]> = "POST unified-ocsp open";
export const readUnifiedOcsp: Endpoint<PkiClient["readUnifiedOcsp"]> =
  "GET unified-ocsp/:request+ open";
export const revoke: Endpoint<PkiClient["revoke"]> = "POST revoke";
export const revokeWithKey: Endpoint<PkiClient["revokeWithKey"]> = "POST revoke-with-key";
export const revokeIssuer: Endpoint<PkiClient["revokeIssuer"]> = "POST issuer/:issuer_ref/revoke";
export const resignCrls: Endpoint<PkiClient["resignCrls"]> = "POST issuer/:issuer_ref/resign-crls";
export const signRevocationList: Endpoint<PkiClient["signRevocationList"]> =
  "POST issuer/:issuer_ref/sign-revocation-list";
export const readCrlConfig: Endpoint<PkiClient["readCrlConfig"]> = "GET config/crl";
export const writeCrlConfig: Endpoint<PkiClient["writeCrlConfig"]> = "POST config/crl";
export const rotateCrl: Endpoint<PkiClient["rotateCrl"]> = "GET crl/rotate";
export const rotateDeltaCrl: Endpoint<PkiClient["rotateDeltaCrl"]> = "GET crl/rotate-delta";
export const generateExportedRoot: Endpoint<PkiClient["generateExportedRoot"]> =
  "POST root/generate/exported";
export const generateRootFromKey: Endpoint<PkiClient["generateRootFromKey"]> =
  "POST root/generate/existing";
export const generateRootFromManagedKey: Endpoint<PkiClient["generateRootFromManagedKey"]> =
  "POST root/generate/kms";
export const generateRoot: Endpoint<PkiClient["generateRoot"]> =
  "POST root/generate/:exported|POST root/generate/internal";
export const rotateExportedRoot: Endpoint<PkiClient["rotateExportedRoot"]> =
  "POST root/rotate/exported";
export const rotateRootFromKey: Endpoint<PkiClient["rotateRootFromKey"]> =
  "POST root/rotate/existing";
export const rotateRootFromManagedKey: Endpoint<PkiClient["rotateRootFromManagedKey"]> =
  "POST root/rotate/kms";
export const rotateRoot: Endpoint<PkiClient["rotateRoot"]> =
  "POST root/rotate/:exported|POST root/rotate/internal";
export const generateExportedIntermediate: Endpoint<PkiClient["generateExportedIntermediate"]> =
  "POST intermediate/generate/exported";
export const generateIntermediateFromKey: Endpoint<PkiClient["generateIntermediateFromKey"]> =
  "POST intermediate/generate/existing";
export const generateIntermediateFromManagedKey: Endpoint<
  PkiClient["generateIntermediateFromManagedKey"]
> = "POST intermediate/generate/kms";
export const generateIntermediate: Endpoint<PkiClient["generateIntermediate"]> =
  "POST intermediate/generate/:exported|POST intermediate/generate/internal";
export const signIntermediate: Endpoint<PkiClient["signIntermediate"]> =
  "POST issuer/:issuer_ref/sign-intermediate|POST root/sign-intermediate";
export const signSelfIssued: Endpoint<PkiClient["signSelfIssued"]> =
  "POST root/sign-self-issued sudo";
export const signSelfIssuedWith: Endpoint<PkiClient["signSelfIssuedWith"]> =
  "POST issuer/:issuer_ref/sign-self-issued sudo";
export const setSigned: Endpoint<PkiClient["setSigned"]> = "POST intermediate/set-signed";
export const importCertificates: Endpoint<PkiClient["importCertificates"]> =
  "POST issuers/import/cert";
export const importBundle: Endpoint<PkiClient["importBundle"]> = "POST issuers/import/bundle";
export const listIssuers: Endpoint<PkiClient["listIssuers"]> = "LIST issuers open";
export const readIssuer: Endpoint<PkiClient["readIssuer"]> = "GET issuer/:issuer_ref";
export const writeIssuer: Endpoint<PkiClient["writeIssuer"]> = "POST issuer/:issuer_ref";
export const patchIssuer: Endpoint<PkiClient["patchIssuer"]> = "PATCH issuer/:issuer_ref";
export const deleteIssuer: Endpoint<PkiClient["deleteIssuer"]> = "DELETE issuer/:issuer_ref";
export const deleteRoot: Endpoint<PkiClient["deleteRoot"]> = "DELETE root sudo";
export const listKeys: Endpoint<PkiClient["listKeys"]> = "LIST keys";
export const generateCaKey: Endpoint<PkiClient["generateCaKey"]> = "POST keys/generate/internal";
export const generateExportedCaKey: Endpoint<PkiClient["generateExportedCaKey"]> =
  "POST keys/generate/exported";
export const generateManagedCaKey: Endpoint<PkiClient["generateManagedCaKey"]> =
  "POST keys/generate/kms";
export const importKey: Endpoint<PkiClient["importKey"]> = "POST keys/import";
export const readKey: Endpoint<PkiClient["readKey"]> = "GET key/:key_ref";
export const writeKey: Endpoint<PkiClient["writeKey"]> = "POST key/:key_ref";
export const deleteKey: Endpoint<PkiClient["deleteKey"]> = "DELETE key/:key_ref";
export const readKeysConfig: Endpoint<PkiClient["readKeysConfig"]> = "GET config/keys";
export const writeKeysConfig: Endpoint<PkiClient["writeKeysConfig"]> = "POST config/keys";
export const readIssuersConfig: Endpoint<PkiClient["readIssuersConfig"]> = "GET config/issuers";
export const writeIssuersConfig: Endpoint<PkiClient["writeIssuersConfig"]> = "POST config/issuers";
export const replaceRoot: Endpoint<PkiClient["replaceRoot"]> = "POST root/replace";
export const listRoles: Endpoint<PkiClient["listRoles"]> = "LIST roles";
export const readRole: Endpoint<PkiClient["readRole"]> = "GET roles/:name";
export const writeRole: Endpoint<PkiClient["writeRole"]> = "POST roles/:name";
export const patchRole: Endpoint<PkiClient["patchRole"]> = "PATCH roles/:name";
export const deleteRole: Endpoint<PkiClient["deleteRole"]> = "DELETE roles/:name";
export const readUrls: Endpoint<PkiClient["readUrls"]> = "GET config/urls";
export const writeUrls: Endpoint<PkiClient["writeUrls"]> = "POST config/urls";
export const fillUrls: Endpoint<PkiClient["fillUrls"]> = "POST config/urls/defaults";
export const readCluster: Endpoint<PkiClient["readCluster"]> = "GET config/cluster";
export const writeCluster: Endpoint<PkiClient["writeCluster"]> = "POST config/cluster";
export const readEstConfig: Endpoint<PkiClient["readEstConfig"]> = "GET config/est";
export const writeEstConfig: Endpoint<PkiClient["writeEstConfig"]> = "POST config/est";
export const readExternalPolicy: Endpoint<PkiClient["readExternalPolicy"]> =
  "GET config/external-policy";
export const writeExternalPolicy: Endpoint<PkiClient["writeExternalPolicy"]> =
  "POST config/external-policy";
export const checkExternalPolicy: Endpoint<PkiClient["checkExternalPolicy"]> =
  "POST config/external-policy/check";
export const listRevocationQueue: Endpoint<PkiClient["listRevocationQueue"]> =
  "LIST certs/revocation-queue";
export const listUnifiedRevoked: Endpoint<PkiClient["listUnifiedRevoked"]> =
  "LIST certs/unified-revoked";
export const listCertDetails: Endpoint<PkiClient["listCertDetails"]> = "LIST certs/detailed";
export const searchCerts: Endpoint<PkiClient["searchCerts"]> = "LIST certs/search";
export const revokeFound: Endpoint<PkiClient["revokeFound"]> = "POST certs/revoke";
export const readCertMetadata: Endpoint<PkiClient["readCertMetadata"]> =
  "GET cert-metadata/:serial";
export const listCertMetadata: Endpoint<PkiClient["listCertMetadata"]> = "LIST cert-metadata";
export const readCertBatch: Endpoint<PkiClient["readCertBatch"]> = "POST batch/certs";
export const issueByPolicy: Endpoint<PkiClient["issueByPolicy"]> =
  "POST issuer/:issuer_ref/external-policy/issue/:policy|" +
  "POST external-policy/issue/:policy|" +
  "POST issuer/:issuer_ref/external-policy/issue|" +
  "POST external-policy/issue";
export const signByPolicy: Endpoint<PkiClient["signByPolicy"]> =
  "POST issuer/:issuer_ref/external-policy/sign/:policy|" +
  "POST external-policy/sign/:policy|" +
  "POST issuer/:issuer_ref/external-policy/sign|" +
  "POST external-policy/sign";
export const signIntermediateByPolicy: Endpoint<PkiClient["signIntermediateByPolicy"]> =
  "POST issuer/:issuer_ref/external-policy/sign-intermediate/:policy|" +
  "POST external-policy/sign-intermediate/:policy|" +
  "POST issuer/:issuer_ref/external-policy/sign-intermediate|" +
  "POST external-policy/sign-intermediate";
export const explainIssue: Endpoint<PkiClient["explainIssue"]> =
  "POST issuer/:issuer_ref/explain/issue/:role|POST explain/issue/:role";
export const explainSign: Endpoint<PkiClient["explainSign"]> =
  "POST issuer/:issuer_ref/explain/sign/:role|POST explain/sign/:role";
export const explainVerbatim: Endpoint<PkiClient["explainVerbatim"]> =
  "POST issuer/:path_ref/explain/sign-verbatim/:role+|" +
  "POST explain/sign-verbatim/:role+|" +
  "POST issuer/:path_ref/explain/sign-verbatim|" +
  "POST explain/sign-verbatim";
export const makeResponder: Endpoint<PkiClient["makeResponder"]> =
  "POST issuer/:issuer_ref/ocsp-responder";
export const readResponder: Endpoint<PkiClient["readResponder"]> =
  "GET issuer/:issuer_ref/ocsp-responder";
export const deleteResponder: Endpoint<PkiClient["deleteResponder"]> =
  "DELETE issuer/:issuer_ref/ocsp-responder";
export const listAcmeOrders: Endpoint<PkiClient["listAcmeOrders"]> = "LIST acme/mgmt/orders";
export const tidy: Endpoint<PkiClient["tidy"]> = "POST tidy";
export const tidyCancel: Endpoint<PkiClient["tidyCancel"]> = "POST tidy-cancel";
export const tidyStatus: Endpoint<PkiClient["tidyStatus"]> = "GET tidy-status";
export const readAutoTidy: Endpoint<PkiClient["readAutoTidy"]> = "GET config/auto-tidy";
export const writeAutoTidy: Endpoint<PkiClient["writeAutoTidy"]> = "POST config/auto-tidy";
export const readAcmeConfig: Endpoint<PkiClient["readAcmeConfig"]> = "GET config/acme";
export const writeAcmeConfig: Endpoint<PkiClient["writeAcmeConfig"]> = "POST config/acme";
export const readLogConfig: Endpoint<PkiClient["readLogConfig"]> = "GET config/log";
export const writeLogConfig: Endpoint<PkiClient["writeLogConfig"]> = "POST config/log";
export const readLogCheckpoint: Endpoint<PkiClient["readLogCheckpoint"]> =
  "GET log/checkpoint open";
export const readLogTile: Endpoint<PkiClient["readLogTile"]> = "GET log/tile/:tile+ open";
export const newEab: Endpoint<PkiClient["newEab"]> =
  "POST issuer/:issuer_ref/roles/:role/acme/new-eab|" +
  "POST issuer/:issuer_ref/external-policy/:policy/acme/new-eab|" +
  "POST roles/:role/acme/new-eab|" +
  "POST external-policy/:policy/acme/new-eab|" +
  "POST issuer/:issuer_ref/acme/new-eab|" +
  "POST acme/new-eab";
export const listEab: Endpoint<PkiClient["listEab"]> = "LIST eab";
export const readEab: Endpoint<PkiClient["readEab"]> = "GET eab/:key_id";
export const tightenEab: Endpoint<PkiClient["tightenEab"]> = "POST eab/:key_id";
export const deleteEab: Endpoint<PkiClient["deleteEab"]> = "DELETE eab/:key_id";
export const listAcmeAccounts: Endpoint<PkiClient["listAcmeAccounts"]> =
  "LIST acme/mgmt/account/keyid";
export const readAcmeAccount: Endpoint<PkiClient["readAcmeAccount"]> =
  "GET acme/mgmt/account/keyid/:key_id";
export const writeAcmeAccount: Endpoint<PkiClient["writeAcmeAccount"]> =
  "POST acme/mgmt/account/keyid/:key_id";
