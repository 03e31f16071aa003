// Made by `npm run generate`; what is changed here is lost.
import type { Example } from "../../wire/openapi-about.ts";

const examples: Readonly<Record<string, Example>> = {
  createMount: {
    parameters: { path: "other" },
    body: { type: "pki", config: { max_lease_ttl: "87600h" } },
  },
  writeUrls: {
    body: {
      issuing_certificates: ["http://ca.example.com/v1/pki/ca"],
      crl_distribution_points: ["http://ca.example.com/v1/pki/crl"],
      ocsp_servers: ["http://ca.example.com/v1/pki/ocsp"],
    },
  },
  writeCluster: { body: { path: "http://ca.example.com/v1/pki" } },
  generateRoot: {
    parameters: { exported: "internal" },
    body: { common_name: "Example Root", ttl: "87600h", key_type: "ec", issuer_name: "root" },
  },
  generateCaKey: { body: { key_type: "ec", key_name: "spare" } },
  generateExportedCaKey: { body: { key_type: "ec", key_name: "taken-along" } },
  generateRootFromKey: {
    body: {
      common_name: "Second Root",
      ttl: "87600h",
      key_ref: "7f3b9c2e-5d41-4a86-9b0c-000000000001",
    },
  },
  generateExportedRoot: { body: { common_name: "Third Root", ttl: "87600h", key_type: "ec" } },
  generateIntermediate: {
    parameters: { exported: "internal" },
    body: { common_name: "Example Intermediate", key_type: "ec" },
  },
  signIntermediate: {
    parameters: { issuer_ref: "root" },
    body: {
      csr: "-----BEGIN CERTIFICATE REQUEST-----\nMII…\n-----END CERTIFICATE REQUEST-----",
      ttl: "43800h",
      max_path_length: 0,
    },
  },
  setSigned: {
    body: { certificate: "-----BEGIN CERTIFICATE-----\nMII…\n-----END CERTIFICATE-----" },
  },
  writeIssuer: {
    parameters: { issuer_ref: "7f3b9c2e-5d41-4a86-9b0c-000000000002" },
    body: { issuer_name: "intermediate" },
  },
  patchIssuer: {
    parameters: { issuer_ref: "intermediate" },
    body: { leaf_not_after_behavior: "truncate" },
  },
  writeIssuersConfig: { body: { default: "intermediate" } },
  generateIntermediateFromKey: { body: { common_name: "Cross", key_ref: "spare" } },
  generateExportedIntermediate: { body: { common_name: "Example Intermediate", key_type: "ec" } },
  importKey: {
    body: {
      pem_bundle: "-----BEGIN EC PRIVATE KEY-----\nMII…\n-----END EC PRIVATE KEY-----",
      key_name: "imported",
    },
  },
  deleteKey: { parameters: { key_ref: "7f3b9c2e-5d41-4a86-9b0c-000000000003" } },
  importCertificates: {
    body: { pem_bundle: "-----BEGIN CERTIFICATE-----\nMII…\n-----END CERTIFICATE-----" },
  },
  importBundle: {
    body: { pem_bundle: "-----BEGIN CERTIFICATE-----\nMII…\n-----END CERTIFICATE-----" },
  },
  signSelfIssuedWith: {
    parameters: { issuer_ref: "root" },
    body: { certificate: "-----BEGIN CERTIFICATE-----\nMII…\n-----END CERTIFICATE-----" },
  },
  signSelfIssued: {
    body: {
      issuer_ref: "root",
      certificate: "-----BEGIN CERTIFICATE-----\nMII…\n-----END CERTIFICATE-----",
    },
  },
  rotateRoot: {
    parameters: { exported: "internal" },
    body: { common_name: "Example Root", ttl: "87600h", key_type: "ec", issuer_name: "next-root" },
  },
  rotateExportedRoot: {
    body: {
      common_name: "Example Root",
      ttl: "87600h",
      key_type: "ec",
      issuer_name: "carried-root",
    },
  },
  rotateRootFromKey: {
    body: {
      common_name: "Example Root",
      ttl: "87600h",
      issuer_name: "old-key-root",
      key_ref: "taken-along",
    },
  },
  replaceRoot: { body: { default: "next-root" } },
  readIssuer: { parameters: { issuer_ref: "intermediate" } },
  readIssuerJson: { parameters: { issuer_ref: "intermediate" } },
  readIssuerPem: { parameters: { issuer_ref: "intermediate" } },
  readIssuerDer: { parameters: { issuer_ref: "intermediate" } },
  readKey: { parameters: { key_ref: "spare" } },
  writeKey: { parameters: { key_ref: "spare" }, body: { key_name: "second" } },
  writeKeysConfig: { body: { default: "second" } },
  writeRole: {
    parameters: { name: "web" },
    body: {
      allowed_domains: ["example.com"],
      allow_bare_domains: true,
      allow_subdomains: true,
      key_type: "ec",
      ttl: "720h",
      max_ttl: "2160h",
      no_store_metadata: false,
    },
  },
  patchRole: { parameters: { name: "web" }, body: { max_ttl: "1440h" } },
  readRole: { parameters: { name: "web" } },
  explainIssue: { parameters: { role: "web" }, body: { common_name: "www.example.com" } },
  issue: {
    parameters: { role: "web" },
    body: { common_name: "www.example.com", alt_names: "example.com,api.example.com", ttl: "240h" },
  },
  explainSign: {
    parameters: { role: "web" },
    body: {
      common_name: "www.example.com",
      csr: "-----BEGIN CERTIFICATE REQUEST-----\nMII…\n-----END CERTIFICATE REQUEST-----",
    },
  },
  sign: {
    parameters: { role: "web" },
    body: {
      common_name: "www.example.com",
      csr: "-----BEGIN CERTIFICATE REQUEST-----\nMII…\n-----END CERTIFICATE REQUEST-----",
      cert_metadata: "b3JkZXIgNDcxMQ==",
    },
  },
  explainVerbatim: {
    body: { csr: "-----BEGIN CERTIFICATE REQUEST-----\nMII…\n-----END CERTIFICATE REQUEST-----" },
  },
  signVerbatim: {
    body: {
      csr: "-----BEGIN CERTIFICATE REQUEST-----\nMII…\n-----END CERTIFICATE REQUEST-----",
      ttl: "24h",
    },
  },
  writeExternalPolicy: { body: { enabled: true, timeout: "5s" } },
  issueByPolicy: { body: { common_name: "www.example.com", key_type: "ec" } },
  signByPolicy: {
    body: { csr: "-----BEGIN CERTIFICATE REQUEST-----\nMII…\n-----END CERTIFICATE REQUEST-----" },
  },
  signIntermediateByPolicy: {
    parameters: { issuer_ref: "root" },
    body: { csr: "-----BEGIN CERTIFICATE REQUEST-----\nMII…\n-----END CERTIFICATE REQUEST-----" },
  },
  readCert: { parameters: { serial: "39:dd:2e:90:b7:23:1f:8d:d3:01" } },
  readCertRaw: { parameters: { serial: "39:dd:2e:90:b7:23:1f:8d:d3:01" } },
  readCertPem: { parameters: { serial: "39:dd:2e:90:b7:23:1f:8d:d3:01" } },
  listCerts: { parameters: { limit: 10 } },
  listCertDetails: { parameters: { limit: 10 } },
  searchCerts: { parameters: { name: "www.example.com", state: "valid" } },
  readCertBatch: { body: { serial_numbers: ["39:dd:2e:90:b7:23:1f:8d:d3:01"] } },
  readCertMetadata: { parameters: { serial: "39:dd:2e:90:b7:23:1f:8d:d3:02" } },
  revoke: { body: { serial_number: "39:dd:2e:90:b7:23:1f:8d:d3:03", reason: "superseded" } },
  revokeWithKey: {
    body: {
      serial_number: "39:dd:2e:90:b7:23:1f:8d:d3:04",
      private_key: "-----BEGIN EC PRIVATE KEY-----\nMII…\n-----END EC PRIVATE KEY-----",
    },
  },
  revokeFound: { body: { name: "www.example.com", dry_run: true } },
  writeCrlConfig: { body: { expiry: "72h", enable_delta: true, auto_rebuild: true } },
  readIssuerCrl: { parameters: { issuer_ref: "intermediate" } },
  readIssuerCrlDer: { parameters: { issuer_ref: "intermediate" } },
  readIssuerCrlPem: { parameters: { issuer_ref: "intermediate" } },
  readIssuerDeltaCrl: { parameters: { issuer_ref: "intermediate" } },
  readIssuerDeltaCrlDer: { parameters: { issuer_ref: "intermediate" } },
  readIssuerDeltaCrlPem: { parameters: { issuer_ref: "intermediate" } },
  readIssuerUnifiedCrl: { parameters: { issuer_ref: "intermediate" } },
  readIssuerUnifiedCrlDer: { parameters: { issuer_ref: "intermediate" } },
  readIssuerUnifiedCrlPem: { parameters: { issuer_ref: "intermediate" } },
  readIssuerUnifiedDeltaCrl: { parameters: { issuer_ref: "intermediate" } },
  readIssuerUnifiedDeltaCrlDer: { parameters: { issuer_ref: "intermediate" } },
  readIssuerUnifiedDeltaCrlPem: { parameters: { issuer_ref: "intermediate" } },
  readShardCrl: { parameters: { shard: "2-0" } },
  readShardCrlPem: { parameters: { shard: "2-0" } },
  readShardDelta: { parameters: { shard: "2-0" } },
  readShardDeltaPem: { parameters: { shard: "2-0" } },
  readIssuerShardCrl: { parameters: { issuer_ref: "intermediate", shard: "2-0" } },
  readIssuerShardCrlPem: { parameters: { issuer_ref: "intermediate", shard: "2-0" } },
  readIssuerShardDelta: { parameters: { issuer_ref: "intermediate", shard: "2-0" } },
  readIssuerShardDeltaPem: { parameters: { issuer_ref: "intermediate", shard: "2-0" } },
  resignCrls: {
    parameters: { issuer_ref: "intermediate" },
    body: {
      crl_number: 1000,
      next_update: "72h",
      crls: ["-----BEGIN X509 CRL-----\nMII…\n-----END X509 CRL-----"],
    },
  },
  signRevocationList: {
    parameters: { issuer_ref: "intermediate" },
    body: {
      crl_number: 1001,
      next_update: "72h",
      revoked_certs: [{ serial_number: "39:dd:2e:90", revocation_time: "2030-01-02T03:04:05Z" }],
    },
  },
  makeResponder: { parameters: { issuer_ref: "intermediate" } },
  readResponder: { parameters: { issuer_ref: "intermediate" } },
  deleteResponder: { parameters: { issuer_ref: "intermediate" } },
  lookupLease: { body: { lease_id: "pki/issue/leased/7f3b9c2e-5d41-4a86-9b0c-000000000004" } },
  lookupLeaseAt: {
    parameters: { prefix: "pki/issue/leased/7f3b9c2e-5d41-4a86-9b0c-000000000004" },
  },
  listLeases: { parameters: { prefix: "pki/issue/leased" } },
  countLeases: { parameters: { type: "irrevocable" } },
  revokeLease: { body: { lease_id: "pki/issue/leased/7f3b9c2e-5d41-4a86-9b0c-000000000004" } },
  revokeLeases: { parameters: { prefix: "pki/issue/leased" } },
  forceRevokeLeases: { parameters: { prefix: "pki/issue/leased" } },
  deleteRole: { parameters: { name: "leased" } },
  writeAcmeConfig: { body: { enabled: true, default_directory_policy: "role:web" } },
  newEab: {
    body: { allowed_identifiers: ["*.corp.example"], max_uses: 10, metadata: { team: "web" } },
  },
  readEab: { parameters: { key_id: "7f3b9c2e-5d41-4a86-9b0c-000000000005" } },
  tightenEab: {
    parameters: { key_id: "7f3b9c2e-5d41-4a86-9b0c-000000000005" },
    body: { max_uses: 5 },
  },
  deleteEab: { parameters: { key_id: "7f3b9c2e-5d41-4a86-9b0c-000000000005" } },
  writeEstConfig: { body: { enabled: true, default_path_policy: "role:web" } },
  tidy: { body: { tidy_cert_store: true, tidy_revoked_certs: true, safety_buffer: "72h" } },
  writeAutoTidy: { body: { enabled: true, interval_duration: "12h", tidy_cert_store: true } },
  revokeIssuer: { parameters: { issuer_ref: "intermediate" } },
  deleteIssuer: { parameters: { issuer_ref: "intermediate" } },
  listCatalog: { parameters: { type: "secret" } },
  readPlugin: { parameters: { type: "auth", name: "approle" } },
  unseal: { body: { key: "any" } },
  readMount: { parameters: { path: "team" } },
  growPartitions: { parameters: { path: "team" }, body: { count: 4 } },
  readPartitions: { parameters: { path: "team" } },
  stopPartitions: { parameters: { path: "team" } },
  readTune: { parameters: { path: "team" } },
  writeTune: {
    parameters: { path: "team" },
    body: { max_lease_ttl: "43800h", listing_visibility: "unauth" },
  },
  readVisibleMount: { parameters: { below: "team" } },
  remount: { body: { from: "team", to: "crew" } },
  readRemount: { parameters: { migration_id: "7f3b9c2e-5d41-4a86-9b0c-000000000006" } },
  backUp: { parameters: { path: "crew" } },
  backUpStore: { parameters: { store: "vars" } },
  deleteMount: { parameters: { path: "crew" } },
  restore: { parameters: { path: "crew" } },
  writePolicy: {
    parameters: { name: "web" },
    body: { policy: 'path "pki/issue/web" { capabilities = ["update"] }' },
  },
  readPolicy: { parameters: { name: "web" } },
  writeRules: {
    parameters: { name: "older" },
    body: { policy: 'path "pki/issue/web" { capabilities = ["update"] }' },
  },
  readRules: { parameters: { name: "older" } },
  deleteRules: { parameters: { name: "older" } },
  testPolicies: { body: { policies: ["web"], path: "pki/issue/web", capability: "update" } },
  deletePolicy: { parameters: { name: "unused" } },
  capabilitiesSelf: { body: { paths: ["pki/issue/web"] } },
  createToken: { body: { policies: ["web"], ttl: "24h", display_name: "build" } },
  renewSelf: { body: { increment: "12h" } },
  lookupToken: { body: { token: "s.Gdt8T8FD88Xv9m2iBFTenTgy5hJv1" } },
  lookupAccessor: { body: { accessor: "THAP80SMgngRpMEgzdm7lVUx" } },
  renewToken: { body: { token: "s.Gdt8T8FD88Xv9m2iBFTenTgy5hJv1", increment: "12h" } },
  renewAccessor: { body: { accessor: "THAP80SMgngRpMEgzdm7lVUx", increment: "12h" } },
  capabilities: { body: { token: "s.Gdt8T8FD88Xv9m2iBFTenTgy5hJv1", paths: ["pki/issue/web"] } },
  capabilitiesAccessor: {
    body: { accessor: "THAP80SMgngRpMEgzdm7lVUx", paths: ["pki/issue/web"] },
  },
  writeTokenRole: {
    parameters: { name: "ci" },
    body: { allowed_policies: ["web"], token_period: "24h" },
  },
  readTokenRole: { parameters: { name: "ci" } },
  createRoleToken: { parameters: { role: "ci" }, body: { policies: ["web"] } },
  createOrphanToken: { body: { policies: ["web"], ttl: "1h" } },
  revokeOrphan: { body: { token: "s.Gdt8T8FD88Xv9m2iBFTenTgy5hJv2" } },
  writeCubbyhole: { parameters: { cubbyhole_path: "notes" }, body: { rack: "7" } },
  readCubbyhole: { parameters: { cubbyhole_path: "notes" } },
  deleteCubbyhole: { parameters: { cubbyhole_path: "notes" } },
  revokeToken: { body: { token: "s.Gdt8T8FD88Xv9m2iBFTenTgy5hJv3" } },
  revokeAccessor: { body: { accessor: "mWt7qLvbfisgnPhnk7TnE9O9" } },
  deleteTokenRole: { parameters: { name: "ci" } },
  enableMethod: { parameters: { path: "userpass" }, body: { type: "userpass" } },
  readMethod: { parameters: { path: "userpass" } },
  writeEntity: { body: { name: "ann", policies: ["web"] } },
  writeEntityById: {
    parameters: { id: "7f3b9c2e-5d41-4a86-9b0c-000000000007" },
    body: { metadata: { desk: "12" } },
  },
  writeEntityByName: { parameters: { name: "bob" }, body: { policies: ["web"] } },
  readEntity: { parameters: { id: "7f3b9c2e-5d41-4a86-9b0c-000000000007" } },
  writeEntityAlias: {
    body: {
      name: "ann",
      mount_accessor: "auth_userpass_5b9e9c1d",
      canonical_id: "7f3b9c2e-5d41-4a86-9b0c-000000000007",
    },
  },
  readEntityAlias: { parameters: { id: "7f3b9c2e-5d41-4a86-9b0c-000000000008" } },
  changeEntityAlias: {
    parameters: { id: "7f3b9c2e-5d41-4a86-9b0c-000000000008" },
    body: { custom_metadata: { desk: "12" } },
  },
  lookupEntity: { body: { name: "ann" } },
  writeGroup: {
    body: { name: "ops", member_entity_ids: ["7f3b9c2e-5d41-4a86-9b0c-000000000007"] },
  },
  writeGroupByName: { parameters: { name: "web-team" }, body: { policies: ["web"] } },
  readGroup: { parameters: { id: "7f3b9c2e-5d41-4a86-9b0c-000000000009" } },
  lookupGroup: { body: { name: "ops" } },
  writeGroupAlias: {
    body: {
      name: "staff",
      mount_accessor: "auth_userpass_5b9e9c1d",
      canonical_id: "7f3b9c2e-5d41-4a86-9b0c-00000000000a",
    },
  },
  readGroupAlias: { parameters: { id: "7f3b9c2e-5d41-4a86-9b0c-00000000000b" } },
  changeGroupAlias: {
    parameters: { id: "7f3b9c2e-5d41-4a86-9b0c-00000000000b" },
    body: { name: "people" },
  },
  deleteGroupAlias: { parameters: { id: "7f3b9c2e-5d41-4a86-9b0c-00000000000b" } },
  deleteGroup: { parameters: { id: "7f3b9c2e-5d41-4a86-9b0c-000000000009" } },
  deleteEntityAlias: { parameters: { id: "7f3b9c2e-5d41-4a86-9b0c-000000000008" } },
  deleteEntity: { parameters: { id: "7f3b9c2e-5d41-4a86-9b0c-000000000007" } },
  wrapData: { body: { password: "correct horse" } },
  lookupWrapping: { body: { token: "wrap.b6cHQJ5ukUvQ3d4u8jPm1" } },
  rewrapReply: { body: { token: "wrap.b6cHQJ5ukUvQ3d4u8jPm1" } },
  unwrap: { body: { token: "wrap.b6cHQJ5ukUvQ3d4u8jPm2" } },
  hashData: { body: { input: "aGVsbG8=", format: "base64" } },
  randomBytes: { body: { bytes: 16, format: "hex" } },
  writeQuota: {
    parameters: { name: "logins" },
    body: { rate: 10, interval: "1s", path: "auth/userpass" },
  },
  readQuota: { parameters: { name: "logins" } },
  deleteQuota: { parameters: { name: "logins" } },
  writeQuotaConfig: { body: { enable_rate_limit_response_headers: true } },
  writeCors: { body: { allowed_origins: ["https://console.example.com"] } },
  listAuditEvents: { parameters: { limit: 5 } },
  countAuditEvents: { parameters: { mount: "pki", days: 7 } },
  auditHash: { parameters: { path: "events" }, body: { input: "www.example.com" } },
  writeAuditSink: { body: { url: "https://events.example.com/sealwright" } },
  writeEventSink: {
    parameters: { name: "ops" },
    body: { url: "https://events.example.com/sealwright", types: ["sealwright.certificate.*"] },
  },
  readEventSink: { parameters: { name: "ops" } },
  testEventSink: { parameters: { name: "ops" } },
  deleteEventSink: { parameters: { name: "ops" } },
  readMethodTune: { parameters: { path: "userpass" } },
  writeMethodTune: { parameters: { path: "userpass" }, body: { default_lease_ttl: "8h" } },
  readMountedTune: { parameters: { path: "userpass" } },
  writeMountedTune: { parameters: { path: "userpass" }, body: { max_lease_ttl: "24h" } },
  readMountedMethod: { parameters: { path: "userpass" } },
  writeAppRole: {
    parameters: { name: "build" },
    body: { token_policies: ["web"], token_ttl: "1h" },
  },
  readAppRole: { parameters: { name: "build" } },
  readRoleId: { parameters: { name: "build" } },
  writeRoleId: { parameters: { name: "build" }, body: { role_id: "build-servers" } },
  makeSecretId: { parameters: { name: "build" }, body: { metadata: '{"host": "build-7"}' } },
  loginAppRole: {
    body: { role_id: "build-servers", secret_id: "7f3b9c2e-5d41-4a86-9b0c-00000000000c" },
  },
  listSecretIds: { parameters: { name: "build" } },
  lookupSecretId: {
    parameters: { name: "build" },
    body: { secret_id: "7f3b9c2e-5d41-4a86-9b0c-00000000000c" },
  },
  lookupSecretAccessor: {
    parameters: { name: "build" },
    body: { secret_id_accessor: "7f3b9c2e-5d41-4a86-9b0c-00000000000d" },
  },
  makeCustomSecretId: {
    parameters: { name: "build" },
    body: { secret_id: "chosen by the build server" },
  },
  destroySecretId: {
    parameters: { name: "build" },
    body: { secret_id: "chosen by the build server" },
  },
  destroySecretAccessor: {
    parameters: { name: "build" },
    body: { secret_id_accessor: "7f3b9c2e-5d41-4a86-9b0c-00000000000d" },
  },
  writeRoleSetting: {
    parameters: { name: "build", setting: "token-ttl" },
    body: { token_ttl: "30m" },
  },
  readRoleSetting: { parameters: { name: "build", setting: "token-ttl" } },
  deleteRoleSetting: { parameters: { name: "build", setting: "token-ttl" } },
  deleteAppRole: { parameters: { name: "build" } },
  writeUser: {
    parameters: { username: "ann" },
    body: { password: "correct horse battery", token_policies: ["web"], token_ttl: "8h" },
  },
  readUser: { parameters: { username: "ann" } },
  loginUser: { parameters: { username: "ann" }, body: { password: "correct horse battery" } },
  writePassword: { parameters: { username: "ann" }, body: { password: "another long password" } },
  writeUserPolicies: { parameters: { username: "ann" }, body: { token_policies: ["web"] } },
  unlockUser: { parameters: { mount_accessor: "auth_userpass_5b9e9c1d", alias_identifier: "ann" } },
  deleteLoginUser: { parameters: { username: "ann" } },
  writeJwtConfig: {
    body: {
      jwt_validation_pubkeys: ["-----BEGIN PUBLIC KEY-----\nMII…\n-----END PUBLIC KEY-----\n"],
      bound_issuer: "https://ci.example.com",
    },
  },
  writeJwtRole: {
    parameters: { name: "ci" },
    body: { role_type: "jwt", user_claim: "sub", bound_audiences: ["ca"], token_policies: ["web"] },
  },
  readJwtRole: { parameters: { name: "ci" } },
  loginJwt: { body: { role: "ci", jwt: "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9…" } },
  deleteJwtRole: { parameters: { name: "ci" } },
  writeKubernetesConfig: {
    body: {
      pem_keys: ["-----BEGIN PUBLIC KEY-----\nMII…\n-----END PUBLIC KEY-----\n"],
      kubernetes_host: "https://kubernetes.default.svc.cluster.local",
    },
  },
  writeKubernetesRole: {
    parameters: { name: "issuer" },
    body: {
      bound_service_account_names: ["issuer"],
      bound_service_account_namespaces: ["web"],
      audience: "ca",
      token_policies: ["web"],
    },
  },
  readKubernetesRole: { parameters: { name: "issuer" } },
  loginKubernetes: { body: { role: "issuer", jwt: "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9…" } },
  deleteKubernetesRole: { parameters: { name: "issuer" } },
  beginOidcLogin: {
    body: {
      role: "people",
      redirect_uri: "https://ca.example.com/demo/",
      client_nonce: "kq3mT0vX9hQeWb5u",
    },
  },
  finishOidcLogin: {
    parameters: {
      state: "4wylEfa3nRJZ8ZuynLDq-k-sWEYYxTzF7-_vM8MJvCg4Gw",
      code: "Xa2f6pGq0cT3",
      client_nonce: "kq3mT0vX9hQeWb5u",
    },
  },
  receiveOidcCode: {
    body: { state: "4wl2_gIwx_leqn7js5RMwXTXrzAwKcuP8Sjrcr0ph7diug", code: "Xa2f6pGq0cT3" },
  },
  writeLoginCert: {
    parameters: { name: "clients" },
    body: {
      certificate: "-----BEGIN CERTIFICATE-----\nMII…\n-----END CERTIFICATE-----\n",
      allowed_dns_sans: ["*.example.com"],
      token_policies: ["web"],
    },
  },
  readLoginCert: { parameters: { name: "clients" } },
  loginCert: { body: { name: "clients" } },
  deleteLoginCert: { parameters: { name: "clients" } },
  disableMethod: { parameters: { path: "approle" } },
  acmeAccount: { parameters: { account_id: "7f3b9c2e-5d41-4a86-9b0c-00000000000e" } },
  acmeAuthorization: { parameters: { auth_id: "7f3b9c2e-5d41-4a86-9b0c-00000000000f" } },
  acmeChallenge: {
    parameters: { auth_id: "7f3b9c2e-5d41-4a86-9b0c-00000000000f", type: "http-01" },
  },
  acmeOrder: { parameters: { order_id: "7f3b9c2e-5d41-4a86-9b0c-000000000010" } },
  acmeFinalize: { parameters: { order_id: "7f3b9c2e-5d41-4a86-9b0c-000000000010" } },
  acmeCertificate: { parameters: { order_id: "7f3b9c2e-5d41-4a86-9b0c-000000000010" } },
  acmeAccountOrders: { parameters: { account_id: "7f3b9c2e-5d41-4a86-9b0c-00000000000e" } },
  readAcmeAccount: { parameters: { key_id: "7f3b9c2e-5d41-4a86-9b0c-00000000000e" } },
  writeAcmeAccount: {
    parameters: { key_id: "7f3b9c2e-5d41-4a86-9b0c-00000000000e" },
    body: { status: "valid" },
  },
  acmeRenewalInfo: { parameters: { certificate_id: "aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE" } },
  readOcsp: {
    parameters: {
      request:
        "MFEwTzBNMEswSTAJBgUrDgMCGgUABBTPyoHZbSvdgHqfzR5lSRtrV7bkbgQUqkjQUX6EElbMSrMmcWjWDjBh1TsCEAo/hB4TpK1EDJ6hvT2J3lc=",
    },
  },
  readUnifiedOcsp: {
    parameters: {
      request:
        "MFEwTzBNMEswSTAJBgUrDgMCGgUABBTPyoHZbSvdgHqfzR5lSRtrV7bkbgQUqkjQUX6EElbMSrMmcWjWDjBh1TsCEAo/hB4TpK1EDJ6hvT2J3lc=",
    },
  },
  writeManagedKey: {
    parameters: { type: "https", name: "signing-service" },
    body: {
      url: "https://keys.example.com",
      token: "a-secret-of-the-service",
      message_type: "raw",
      any_mount: true,
    },
  },
  readManagedKey: { parameters: { type: "https", name: "signing-service" } },
  listManagedKeys: { parameters: { type: "https" } },
  testManagedKey: { parameters: { type: "https", name: "signing-service" } },
  generateManagedCaKey: {
    body: { managed_key_name: "signing-service", key_name: "kept-elsewhere" },
  },
  generateRootFromManagedKey: {
    body: { managed_key_name: "signing-service", common_name: "Kept Root", ttl: "87600h" },
  },
  rotateRootFromManagedKey: {
    body: {
      managed_key_name: "signing-service",
      common_name: "Next Kept Root",
      issuer_name: "next-kept-root",
      ttl: "87600h",
    },
  },
  generateIntermediateFromManagedKey: {
    body: { managed_key_name: "signing-service", common_name: "Kept Intermediate" },
  },
  deleteManagedKey: { parameters: { type: "https", name: "unused" } },
  createOrganization: {
    body: {
      data: { type: "organizations", attributes: { name: "example", email: "ops@example.com" } },
    },
  },
  readOrganization: { parameters: { organization: "example" } },
  readEntitlements: { parameters: { organization: "example" } },
  updateOrganization: {
    parameters: { organization: "example" },
    body: { data: { type: "organizations", attributes: { email: "team@example.com" } } },
  },
  createWorkspace: {
    parameters: { organization: "example" },
    body: { data: { type: "workspaces", attributes: { name: "network" } } },
  },
  listWorkspaces: { parameters: { organization: "example" } },
  readWorkspace: { parameters: { workspace_id: "ws-Kx7Qm2Rt9Vb4Nd11" } },
  updateWorkspace: {
    parameters: { workspace_id: "ws-Kx7Qm2Rt9Vb4Nd11" },
    body: { data: { type: "workspaces", attributes: { name: "core" } } },
  },
  listNothing: { parameters: { workspace_id: "ws-Kx7Qm2Rt9Vb4Nd11" } },
  clearTags: { parameters: { workspace_id: "ws-Kx7Qm2Rt9Vb4Nd11" }, body: { data: [] } },
  createWorkspaceVar: {
    parameters: { workspace_id: "ws-Kx7Qm2Rt9Vb4Nd11" },
    body: {
      data: {
        type: "vars",
        attributes: { key: "region", value: "eu-central-1", category: "terraform", hcl: false },
      },
    },
  },
  readWorkspaceVar: {
    parameters: { workspace_id: "ws-Kx7Qm2Rt9Vb4Nd11", variable_id: "var-Kx7Qm2Rt9Vb4Nd12" },
  },
  updateWorkspaceVar: {
    parameters: { workspace_id: "ws-Kx7Qm2Rt9Vb4Nd11", variable_id: "var-Kx7Qm2Rt9Vb4Nd12" },
    body: {
      data: { type: "vars", attributes: { value: "eu-west-1" }, id: "var-Kx7Qm2Rt9Vb4Nd12" },
    },
  },
  writeVarsInBulk: {
    parameters: { workspace_id: "ws-Kx7Qm2Rt9Vb4Nd11" },
    body: {
      data: [
        {
          type: "vars",
          attributes: { key: "TOKEN", value: "s3cret", category: "env", sensitive: true },
        },
      ],
    },
  },
  listWorkspaceVars: { parameters: { workspace_id: "ws-Kx7Qm2Rt9Vb4Nd11" } },
  exportVars: { parameters: { workspace_id: "ws-Kx7Qm2Rt9Vb4Nd11", format: "json" } },
  deleteWorkspaceVar: {
    parameters: { workspace_id: "ws-Kx7Qm2Rt9Vb4Nd11", variable_id: "var-Kx7Qm2Rt9Vb4Nd12" },
  },
  createVar: {
    body: {
      data: {
        type: "vars",
        attributes: { key: "zone", value: "a", category: "env", description: "" },
        relationships: { workspace: { data: { type: "workspaces", id: "ws-Kx7Qm2Rt9Vb4Nd11" } } },
      },
    },
  },
  listVars: {
    parameters: { "filter[organization][name]": "example", "filter[workspace][name]": "core" },
  },
  readVar: { parameters: { variable_id: "var-Kx7Qm2Rt9Vb4Nd13" } },
  updateVar: {
    parameters: { variable_id: "var-Kx7Qm2Rt9Vb4Nd13" },
    body: { data: { type: "vars", attributes: { value: "b" }, id: "var-Kx7Qm2Rt9Vb4Nd13" } },
  },
  deleteVar: { parameters: { variable_id: "var-Kx7Qm2Rt9Vb4Nd13" } },
  createTeam: {
    parameters: { organization: "example" },
    body: { data: { type: "teams", attributes: { name: "network", visibility: "organization" } } },
  },
  listTeams: { parameters: { organization: "example" } },
  readTeam: { parameters: { team_id: "team-Kx7Qm2Rt9Vb4Nd14" } },
  updateTeam: {
    parameters: { team_id: "team-Kx7Qm2Rt9Vb4Nd14" },
    body: { data: { type: "teams", attributes: { name: "networks" } } },
  },
  createUser: {
    body: { data: { type: "users", attributes: { username: "ann", email: "ann@example.com" } } },
  },
  addMembers: {
    parameters: { team_id: "team-Kx7Qm2Rt9Vb4Nd14" },
    body: { data: [{ type: "users", id: "ann" }] },
  },
  removeMembers: {
    parameters: { team_id: "team-Kx7Qm2Rt9Vb4Nd14" },
    body: { data: [{ type: "users", id: "ann" }] },
  },
  makeUserToken: {
    parameters: { user_id: "user-Kx7Qm2Rt9Vb4Nd15" },
    body: { data: { type: "authentication-tokens", attributes: { description: "laptop" } } },
  },
  joinOrganization: { parameters: { organization: "example" } },
  leaveOrganization: { parameters: { organization: "example" } },
  listUserTokens: { parameters: { user_id: "user-Kx7Qm2Rt9Vb4Nd15" } },
  readToken: { parameters: { token_id: "at-Kx7Qm2Rt9Vb4Nd16" } },
  deleteToken: { parameters: { token_id: "at-Kx7Qm2Rt9Vb4Nd16" } },
  createTeamAccess: {
    body: {
      data: {
        type: "team-workspaces",
        attributes: { access: "read" },
        relationships: {
          team: { data: { type: "teams", id: "team-Kx7Qm2Rt9Vb4Nd14" } },
          workspace: { data: { type: "workspaces", id: "ws-Kx7Qm2Rt9Vb4Nd11" } },
        },
      },
    },
  },
  listTeamAccess: { parameters: { "filter[workspace][id]": "ws-Kx7Qm2Rt9Vb4Nd11" } },
  readTeamAccess: { parameters: { team_workspace_id: "tws-Kx7Qm2Rt9Vb4Nd17" } },
  updateTeamAccess: {
    parameters: { team_workspace_id: "tws-Kx7Qm2Rt9Vb4Nd17" },
    body: { data: { type: "team-workspaces", attributes: { access: "write" } } },
  },
  deleteTeamAccess: { parameters: { team_workspace_id: "tws-Kx7Qm2Rt9Vb4Nd17" } },
  makeSoleToken: { parameters: { team_id: "team-Kx7Qm2Rt9Vb4Nd14" } },
  readSoleToken: { parameters: { team_id: "team-Kx7Qm2Rt9Vb4Nd14" } },
  deleteSoleToken: { parameters: { team_id: "team-Kx7Qm2Rt9Vb4Nd14" } },
  makeTeamToken: {
    parameters: { team_id: "team-Kx7Qm2Rt9Vb4Nd14" },
    body: { data: { type: "authentication-tokens", attributes: { description: "pipeline" } } },
  },
  listTeamTokens: { parameters: { team_id: "team-Kx7Qm2Rt9Vb4Nd14" } },
  deleteTeam: { parameters: { team_id: "team-Kx7Qm2Rt9Vb4Nd14" } },
  deleteUser: { parameters: { user_id: "user-Kx7Qm2Rt9Vb4Nd15" } },
  deleteWorkspace: { parameters: { workspace_id: "ws-Kx7Qm2Rt9Vb4Nd11" } },
  deleteOrganization: { parameters: { organization: "example" } },
  writeLogConfig: { body: { enabled: true, public: true } },
  readLogTile: { parameters: { tile: "0/000.p/1" } },
};

/** A request of an endpoint that was sent and granted. */
export const exampleOf = (id: string): Example | undefined => examples[id];
