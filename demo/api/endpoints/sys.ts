// Made by `npm run generate`; what is changed here is lost.
import type { SysClient } from "../../../src/client/sys.ts";
import type { Endpoint } from "../endpoint.ts";

export const health: Endpoint<SysClient["health"]> = "GET /sys/health open";
export const sealStatus: Endpoint<SysClient["sealStatus"]> = "GET /sys/seal-status open";
export const initStatus: Endpoint<SysClient["initStatus"]> = "GET /sys/init open";
export const init: Endpoint<SysClient["init"]> = "POST /sys/init open";
export const seal: Endpoint<SysClient["seal"]> = "POST /sys/seal sudo";
export const unseal: Endpoint<SysClient["unseal"]> = "POST /sys/unseal open";
export const leader: Endpoint<SysClient["leader"]> = "GET /sys/leader open";
export const listMounts: Endpoint<SysClient["listMounts"]> = "GET /sys/mounts";
export const readMountedTune: Endpoint<SysClient["readMountedTune"]> =
  "GET /sys/mounts/auth/:path+/tune";
export const readMountedMethod: Endpoint<SysClient["readMountedMethod"]> =
  "GET /sys/mounts/auth/:path+";
export const writeMountedTune: Endpoint<SysClient["writeMountedTune"]> =
  "POST /sys/mounts/auth/:path+/tune";
export const readTune: Endpoint<SysClient["readTune"]> = "GET /sys/mounts/:path+/tune";
export const writeTune: Endpoint<SysClient["writeTune"]> = "POST /sys/mounts/:path+/tune";
export const readPartitions: Endpoint<SysClient["readPartitions"]> =
  "GET /sys/mounts/:path+/partitions";
export const growPartitions: Endpoint<SysClient["growPartitions"]> =
  "POST /sys/mounts/:path+/partitions";
export const stopPartitions: Endpoint<SysClient["stopPartitions"]> =
  "DELETE /sys/mounts/:path+/partitions";
export const readMount: Endpoint<SysClient["readMount"]> = "GET /sys/mounts/:path+";
export const createMount: Endpoint<SysClient["createMount"]> = "POST /sys/mounts/:path+";
export const deleteMount: Endpoint<SysClient["deleteMount"]> = "DELETE /sys/mounts/:path+";
export const lookupLease: Endpoint<SysClient["lookupLease"]> = "POST /sys/leases/lookup";
export const lookupLeaseAt: Endpoint<SysClient["lookupLeaseAt"]> =
  "POST /sys/leases/lookup/:prefix+ sudo";
export const listLeases: Endpoint<SysClient["listLeases"]> =
  "LIST /sys/leases/lookup/:prefix+ sudo|LIST /sys/leases/lookup sudo";
export const countLeases: Endpoint<SysClient["countLeases"]> = "GET /sys/leases/count";
export const renewLease: Endpoint<SysClient["renewLease"]> =
  "POST /sys/leases/renew/:url_lease_id+|POST /sys/leases/renew";
export const revokeLease: Endpoint<SysClient["revokeLease"]> =
  "POST /sys/leases/revoke/:url_lease_id+|POST /sys/leases/revoke";
export const revokeLeases: Endpoint<SysClient["revokeLeases"]> =
  "POST /sys/leases/revoke-prefix/:prefix+ sudo";
export const forceRevokeLeases: Endpoint<SysClient["forceRevokeLeases"]> =
  "POST /sys/leases/revoke-force/:prefix+ sudo";
export const tidyLeases: Endpoint<SysClient["tidyLeases"]> = "POST /sys/leases/tidy";
export const listMethods: Endpoint<SysClient["listMethods"]> = "GET /sys/auth";
export const readMethodTune: Endpoint<SysClient["readMethodTune"]> =
  "GET /sys/auth/:path+/tune sudo";
export const writeMethodTune: Endpoint<SysClient["writeMethodTune"]> =
  "POST /sys/auth/:path+/tune sudo";
export const readMethod: Endpoint<SysClient["readMethod"]> = "GET /sys/auth/:path+ sudo";
export const enableMethod: Endpoint<SysClient["enableMethod"]> = "POST /sys/auth/:path+ sudo";
export const disableMethod: Endpoint<SysClient["disableMethod"]> = "DELETE /sys/auth/:path+ sudo";
export const unlockUser: Endpoint<SysClient["unlockUser"]> =
  "POST /sys/locked-users/:mount_accessor/unlock/:alias_identifier";
export const listQuotas: Endpoint<SysClient["listQuotas"]> = "LIST /sys/quotas/rate-limit";
export const readQuota: Endpoint<SysClient["readQuota"]> = "GET /sys/quotas/rate-limit/:name";
export const writeQuota: Endpoint<SysClient["writeQuota"]> = "POST /sys/quotas/rate-limit/:name";
export const deleteQuota: Endpoint<SysClient["deleteQuota"]> =
  "DELETE /sys/quotas/rate-limit/:name";
export const readQuotaConfig: Endpoint<SysClient["readQuotaConfig"]> = "GET /sys/quotas/config";
export const writeQuotaConfig: Endpoint<SysClient["writeQuotaConfig"]> = "POST /sys/quotas/config";
export const readCors: Endpoint<SysClient["readCors"]> = "GET /sys/config/cors sudo";
export const writeCors: Endpoint<SysClient["writeCors"]> = "POST /sys/config/cors sudo";
export const deleteCors: Endpoint<SysClient["deleteCors"]> = "DELETE /sys/config/cors sudo";
export const remount: Endpoint<SysClient["remount"]> = "POST /sys/remount sudo";
export const readRemount: Endpoint<SysClient["readRemount"]> =
  "GET /sys/remount/status/:migration_id";
export const listManagedKeys: Endpoint<SysClient["listManagedKeys"]> =
  "LIST /sys/managed-keys/:type";
export const testManagedKey: Endpoint<SysClient["testManagedKey"]> =
  "POST /sys/managed-keys/:type/:name/test/sign";
export const readManagedKey: Endpoint<SysClient["readManagedKey"]> =
  "GET /sys/managed-keys/:type/:name";
export const writeManagedKey: Endpoint<SysClient["writeManagedKey"]> =
  "POST /sys/managed-keys/:type/:name";
export const deleteManagedKey: Endpoint<SysClient["deleteManagedKey"]> =
  "DELETE /sys/managed-keys/:type/:name";
export const readCatalog: Endpoint<SysClient["readCatalog"]> = "GET /sys/plugins/catalog";
export const listCatalog: Endpoint<SysClient["listCatalog"]> =
  "LIST /sys/plugins/catalog/:type sudo";
export const readPlugin: Endpoint<SysClient["readPlugin"]> =
  "GET /sys/plugins/catalog/:type/:name sudo";
export const versionHistory: Endpoint<SysClient["versionHistory"]> = "LIST /sys/version-history";
export const readMetrics: Endpoint<SysClient["readMetrics"]> = "GET /sys/metrics";
export const rotateSeal: Endpoint<SysClient["rotateSeal"]> = "POST /sys/rotate sudo";
export const beginAnew: Endpoint<SysClient["beginAnew"]> = "POST /sys/begin-anew sudo";
export const backUp: Endpoint<SysClient["backUp"]> = "GET /sys/storage/snapshot/:path+ sudo";
export const restore: Endpoint<SysClient["restore"]> = "POST /sys/storage/snapshot/:path+ sudo";
export const checkBackup: Endpoint<SysClient["checkBackup"]> =
  "POST /sys/storage/snapshot-check sudo";
export const backUpStore: Endpoint<SysClient["backUpStore"]> =
  "GET /sys/storage/stores/:store sudo";
export const restoreStore: Endpoint<SysClient["restoreStore"]> =
  "POST /sys/storage/stores/:store sudo";
export const openapiSpec: Endpoint<SysClient["openapiSpec"]> =
  "GET /sys/internal/specs/openapi open";
export const listVisibleMounts: Endpoint<SysClient["listVisibleMounts"]> =
  "GET /sys/internal/ui/mounts open";
export const readVisibleMount: Endpoint<SysClient["readVisibleMount"]> =
  "GET /sys/internal/ui/mounts/:below+ open";
export const wrapData: Endpoint<SysClient["wrapData"]> = "POST /sys/wrapping/wrap";
export const unwrap: Endpoint<SysClient["unwrap"]> = "POST /sys/wrapping/unwrap open";
export const lookupWrapping: Endpoint<SysClient["lookupWrapping"]> =
  "POST /sys/wrapping/lookup open";
export const rewrapReply: Endpoint<SysClient["rewrapReply"]> = "POST /sys/wrapping/rewrap";
export const hashData: Endpoint<SysClient["hashData"]> =
  "POST /sys/tools/hash/:urlalgorithm|POST /sys/tools/hash";
export const randomBytes: Endpoint<SysClient["randomBytes"]> =
  "POST /sys/tools/random/:urlsource/:urlbytes|" +
  "POST /sys/tools/random/:urlsource|" +
  "POST /sys/tools/random";
export const listPolicies: Endpoint<SysClient["listPolicies"]> = "LIST /sys/policies/acl";
export const readPolicy: Endpoint<SysClient["readPolicy"]> = "GET /sys/policies/acl/:name+";
export const writePolicy: Endpoint<SysClient["writePolicy"]> = "POST /sys/policies/acl/:name+";
export const deletePolicy: Endpoint<SysClient["deletePolicy"]> = "DELETE /sys/policies/acl/:name+";
export const listRules: Endpoint<SysClient["listRules"]> = "LIST /sys/policy";
export const readRules: Endpoint<SysClient["readRules"]> = "GET /sys/policy/:name+";
export const writeRules: Endpoint<SysClient["writeRules"]> = "POST /sys/policy/:name+";
export const deleteRules: Endpoint<SysClient["deleteRules"]> = "DELETE /sys/policy/:name+";
export const testPolicies: Endpoint<SysClient["testPolicies"]> = "POST /sys/policies/test";
export const capabilitiesSelf: Endpoint<SysClient["capabilitiesSelf"]> =
  "POST /sys/capabilities-self";
export const capabilities: Endpoint<SysClient["capabilities"]> = "POST /sys/capabilities";
export const capabilitiesAccessor: Endpoint<SysClient["capabilitiesAccessor"]> =
  "POST /sys/capabilities-accessor";
export const resultantAcl: Endpoint<SysClient["resultantAcl"]> =
  "GET /sys/internal/ui/resultant-acl";
export const listAuditEvents: Endpoint<SysClient["listAuditEvents"]> =
  "LIST /sys/audit/events sudo";
export const countAuditEvents: Endpoint<SysClient["countAuditEvents"]> =
  "GET /sys/audit/counts sudo";
export const listAuditDevices: Endpoint<SysClient["listAuditDevices"]> = "GET /sys/audit sudo";
export const auditHash: Endpoint<SysClient["auditHash"]> =
  "POST /sys/audit-hash/:path|POST /sys/audit-hash";
export const countStrangers: Endpoint<SysClient["countStrangers"]> =
  "GET /sys/audit/strangers sudo";
export const writeAuditSink: Endpoint<SysClient["writeAuditSink"]> = "POST /sys/audit/sink sudo";
export const readAuditSink: Endpoint<SysClient["readAuditSink"]> = "GET /sys/audit/sink sudo";
export const deleteAuditSink: Endpoint<SysClient["deleteAuditSink"]> =
  "DELETE /sys/audit/sink sudo";
export const enableAuditDevice: Endpoint<SysClient["enableAuditDevice"]> =
  "POST /sys/audit/:path sudo";
export const disableAuditDevice: Endpoint<SysClient["disableAuditDevice"]> =
  "DELETE /sys/audit/:path sudo";
export const listEventSinks: Endpoint<SysClient["listEventSinks"]> = "LIST /sys/events/sinks sudo";
export const testEventSink: Endpoint<SysClient["testEventSink"]> =
  "POST /sys/events/sinks/:name/test sudo";
export const readEventSink: Endpoint<SysClient["readEventSink"]> =
  "GET /sys/events/sinks/:name sudo";
export const writeEventSink: Endpoint<SysClient["writeEventSink"]> =
  "POST /sys/events/sinks/:name sudo";
export const deleteEventSink: Endpoint<SysClient["deleteEventSink"]> =
  "DELETE /sys/events/sinks/:name sudo";
