import type { Send } from "./send.ts";

/**
 * Sends the example requests about issuers, roles, certificates, CRLs and the settings of a mount.
 */
export async function certificates(send: Send): Promise<void> {
  await authorities(send);
  await roles(send);
  await issuing(send);
  await revoking(send);
  await leases(send);
  await settings(send);
  await deleting(send);
}

const held = { common_name: "Example Root", ttl: "87600h" };
const root = { ...held, key_type: "ec" };
const subject = { common_name: "Example Intermediate", key_type: "ec" };

async function authorities(send: Send): Promise<void> {
  await send("writeUrls", {
    issuing_certificates: ["http://ca.example.com/v1/pki/ca"],
    crl_distribution_points: ["http://ca.example.com/v1/pki/crl"],
    ocsp_servers: ["http://ca.example.com/v1/pki/ocsp"],
  });
  await send("writeCluster", { path: "http://ca.example.com/v1/pki" });
  await send("fillUrls");
  await send("generateRoot", { ...root, issuer_name: "root", exported: "internal" });
  const key = await send("generateCaKey", { key_type: "ec", key_name: "spare" });
  const id = key.text("data.key_id");
  await send("generateExportedCaKey", { key_type: "ec", key_name: "taken-along" });
  await send("generateRootFromKey", { ...held, common_name: "Second Root", key_ref: id });
  await send("generateExportedRoot", { ...root, common_name: "Third Root" });
  const asked = await send("generateIntermediate", { ...subject, exported: "internal" });
  const csr = asked.text("data.csr");
  const signed = await send("signIntermediate", {
    csr,
    issuer_ref: "root",
    ttl: "43800h",
    max_path_length: 0,
  });
  const set = await send("setSigned", { certificate: signed.text("data.certificate") });
  const intermediate = set.text("data.imported_issuers.0");
  await send("writeIssuer", { issuer_ref: intermediate, issuer_name: "intermediate" });
  await send("patchIssuer", {
    issuer_ref: "intermediate",
    leaf_not_after_behavior: "truncate",
  });
  await send("writeIssuersConfig", { default: "intermediate" });
  await send("generateIntermediateFromKey", { common_name: "Cross", key_ref: "spare" });
  const exported = await send("generateExportedIntermediate", subject);
  const key_ref = (
    await send("importKey", { pem_bundle: exported.text("data.private_key"), key_name: "imported" })
  ).text("data.key_id");
  await send("deleteKey", { key_ref });
  await send("importCertificates", { pem_bundle: signed.text("data.certificate") });
  await send("importBundle", { pem_bundle: signed.text("data.certificate") });
  const other = await send("generateRoot", { ...root, exported: "internal" }, { at: "/v1/other" });
  const certificate = other.text("data.certificate");
  await send("signSelfIssuedWith", { issuer_ref: "root", certificate });
  await send("signSelfIssued", { issuer_ref: "root", certificate });
  await send("rotateRoot", { ...root, exported: "internal", issuer_name: "next-root" });
  await send("rotateExportedRoot", { ...root, issuer_name: "carried-root" });
  await send("rotateRootFromKey", { ...held, issuer_name: "old-key-root", key_ref: "taken-along" });
  await send("replaceRoot", { default: "next-root" });
  await send("writeIssuersConfig", { default: "intermediate" });
  for (const id of ["readCa", "readCaPem", "readCaChain", "readCaCert", "readChainCert"])
    await send(id);
  await send("listIssuers");
  for (const id of ["readIssuer", "readIssuerJson", "readIssuerPem", "readIssuerDer"])
    await send(id, { issuer_ref: "intermediate" });
  await send("listKeys");
  await send("readKey", { key_ref: "spare" });
  await send("writeKey", { key_ref: "spare", key_name: "second" });
  await send("readKeysConfig");
  await send("writeKeysConfig", { default: "second" });
  await send("readIssuersConfig");
  await send("readUrls");
  await send("readCluster");
}

async function roles(send: Send): Promise<void> {
  await send("writeRole", {
    name: "web",
    allowed_domains: ["example.com"],
    allow_bare_domains: true,
    allow_subdomains: true,
    key_type: "ec",
    ttl: "720h",
    max_ttl: "2160h",
    no_store_metadata: false,
  });
  await send("patchRole", { name: "web", max_ttl: "1440h" });
  await send("readRole", { name: "web" });
  await send("listRoles");
}

async function issuing(send: Send): Promise<void> {
  const asked = { role: "web", common_name: "www.example.com" };
  await send("explainIssue", asked);
  await send("issue", { ...asked, alt_names: "example.com,api.example.com", ttl: "240h" });
  const made = await send(
    "generateIntermediate",
    { common_name: "www.example.com", key_type: "ec", exported: "internal" },
    { at: "/v1/other" },
  );
  const csr = made.text("data.csr");
  await send("explainSign", { ...asked, csr });
  const signed = await send("sign", { ...asked, csr, cert_metadata: "b3JkZXIgNDcxMQ==" });
  await send("explainVerbatim", { csr });
  const verbatim = await send("signVerbatim", { csr, ttl: "24h" });
  await send("readExternalPolicy");
  await send("writeExternalPolicy", { enabled: true, timeout: "5s" });
  await send("checkExternalPolicy");
  await send("issueByPolicy", { common_name: "www.example.com", key_type: "ec" });
  await send("signByPolicy", { csr });
  await send("signIntermediateByPolicy", { csr, issuer_ref: "root" });
  const serial = verbatim.text("data.serial_number");
  await send("readCert", { serial });
  await send("readCertRaw", { serial });
  await send("readCertPem", { serial });
  await send("listCerts", { limit: 10 });
  await send("listCertDetails", { limit: 10 });
  await send("searchCerts", { name: "www.example.com", state: "valid" });
  await send("readCertBatch", { serial_numbers: [serial] });
  await send("listCertMetadata");
  await send("readCertMetadata", { serial: signed.text("data.serial_number") });
}

async function revoking(send: Send): Promise<void> {
  const [first, second] = [
    await send("issue", { role: "web", common_name: "old.example.com" }),
    await send("issue", { role: "web", common_name: "lost.example.com" }),
  ];
  await send("revoke", { serial_number: first.text("data.serial_number"), reason: "superseded" });
  await send("revokeWithKey", {
    serial_number: second.text("data.serial_number"),
    private_key: second.text("data.private_key"),
  });
  await send("revokeFound", { name: "www.example.com", dry_run: true });
  await send("writeCrlConfig", { expiry: "72h", enable_delta: true, auto_rebuild: true });
  await send("writeCrlConfig", { cross_cluster_revocation: true, unified_crl: true });
  await send("revoke", { serial_number: "39:dd:2e:90:b7:23:1f:8d" });
  await send("readCrlConfig");
  await send("rotateCrl");
  await send("rotateDeltaCrl");
  for (const id of [
    ..."readCrl readCrlPem readCrlCert readDeltaCrl readDeltaCrlPem readDeltaCrlCert".split(" "),
    ..."readUnifiedCrl readUnifiedCrlPem readUnifiedCrlCert readUnifiedDeltaCrl".split(" "),
    ..."readUnifiedDeltaCrlPem readUnifiedDeltaCrlCert".split(" "),
  ])
    await send(id);
  for (const id of [
    ..."readIssuerCrl readIssuerCrlDer readIssuerCrlPem readIssuerDeltaCrl".split(" "),
    ..."readIssuerDeltaCrlDer readIssuerDeltaCrlPem readIssuerUnifiedCrl".split(" "),
    ..."readIssuerUnifiedCrlDer readIssuerUnifiedCrlPem readIssuerUnifiedDeltaCrl".split(" "),
    ..."readIssuerUnifiedDeltaCrlDer readIssuerUnifiedDeltaCrlPem".split(" "),
  ])
    await send(id, { issuer_ref: "intermediate" });
  await send("writeCrlConfig", { shards: 2 });
  await send("issue", { role: "web", common_name: "shard.example.com" });
  for (const id of "readShardCrl readShardCrlPem readShardDelta readShardDeltaPem".split(" "))
    await send(id, { shard: "2-0" });
  for (const id of [
    ..."readIssuerShardCrl readIssuerShardCrlPem".split(" "),
    ..."readIssuerShardDelta readIssuerShardDeltaPem".split(" "),
  ])
    await send(id, { issuer_ref: "intermediate", shard: "2-0" });
  await send("listRevoked");
  await send("listUnifiedRevoked");
  await send("listRevocationQueue");
  const crl = await send("readIssuerCrlPem", { issuer_ref: "intermediate" });
  await send("resignCrls", {
    issuer_ref: "intermediate",
    crl_number: 1000,
    next_update: "72h",
    crls: [new TextDecoder().decode(crl.bytes)],
  });
  await send("signRevocationList", {
    issuer_ref: "intermediate",
    crl_number: 1001,
    next_update: "72h",
    revoked_certs: [{ serial_number: "39:dd:2e:90", revocation_time: "2030-01-02T03:04:05Z" }],
  });
  await send("makeResponder", { issuer_ref: "intermediate" });
  await send("readResponder", { issuer_ref: "intermediate" });
  await send("deleteResponder", { issuer_ref: "intermediate" });
}

async function leases(send: Send): Promise<void> {
  const names = { allowed_domains: ["example.com"], allow_subdomains: true, key_type: "ec" };
  await send("writeRole", { name: "leased", ...names, generate_lease: true });
  const issue = async () =>
    (await send("issue", { role: "leased", common_name: "www.example.com" })).text("lease_id");
  const lease_id = await issue();
  await send("lookupLease", { lease_id });
  await send("lookupLeaseAt", { prefix: lease_id });
  await send("listLeases", { prefix: "pki/issue/leased" });
  await send("countLeases", { type: "irrevocable" });
  await send("revokeLease", { lease_id });
  await issue();
  await send("revokeLeases", { prefix: "pki/issue/leased" });
  await issue();
  await send("forceRevokeLeases", { prefix: "pki/issue/leased" });
  await send("tidyLeases");
  await send("deleteRole", { name: "leased" });
}

async function settings(send: Send): Promise<void> {
  await send("writeAcmeConfig", { enabled: true, default_directory_policy: "role:web" });
  await send("readAcmeConfig");
  await send("acmeDirectory", {}, { token: "" });
  await send("acmeNewNonce", {}, { token: "" });
  const binding = await send("newEab", {
    allowed_identifiers: ["*.corp.example"],
    max_uses: 10,
    metadata: { team: "web" },
  });
  await send("listEab");
  await send("readEab", { key_id: binding.text("data.id") });
  await send("tightenEab", { key_id: binding.text("data.id"), max_uses: 5 });
  await send("deleteEab", { key_id: binding.text("data.id") });
  await send("readEstConfig");
  await send("writeEstConfig", { enabled: true, default_path_policy: "role:web" });
  await send("estCaCertificates", {}, { token: "" });
  await send("estCsrAttributes", {}, { token: "" });
  await send("tidy", { tidy_cert_store: true, tidy_revoked_certs: true, safety_buffer: "72h" });
  await send("tidyStatus");
  await send("tidyCancel");
  await send("writeAutoTidy", { enabled: true, interval_duration: "12h", tidy_cert_store: true });
  await send("readAutoTidy");
}

async function deleting(send: Send): Promise<void> {
  await send("revokeIssuer", { issuer_ref: "intermediate" });
  await send("deleteRole", { name: "web" });
  await send("deleteIssuer", { issuer_ref: "intermediate" });
  await send("deleteRoot");
}
