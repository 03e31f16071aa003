import * as methods from "../auth/method/enabled.ts";
import { unlockUser } from "../auth/userpass/lockout.ts";
import { audit } from "../sys/audit/index.ts";
import { beginAnew } from "../sys/seal/begin-anew.ts";
import * as catalog from "../sys/catalog.ts";
import * as cors from "../sys/cors.ts";
import { eventSinks } from "../sys/events/index.ts";
import * as leaseLookup from "../sys/lease/lookup.ts";
import * as leases from "../sys/lease/revoke.ts";
import * as managed from "../sys/managed/managed-keys.ts";
import { readMetrics } from "../sys/metrics/endpoint.ts";
import * as mounts from "../sys/mounts/mounts.ts";
import * as quotas from "../quota/quotas.ts";
import * as partitions from "../sys/partitions/partitions.ts";
import { policies } from "../sys/policy/endpoints.ts";
import { readRemount, remount } from "../sys/mounts/remount.ts";
import { rotateSeal } from "../sys/seal/rotate.ts";
import * as snapshot from "../sys/backup/endpoints.ts";
import { openapiSpec } from "../sys/specs/specs.ts";
import * as tools from "../sys/tools.ts";
import * as tune from "../sys/mounts/tune.ts";
import * as uiMounts from "../sys/mounts/ui-mounts.ts";
import * as wrapping from "../sys/wrapping.ts";

/** Endpoints under `/v1/sys` except those for health, initialization and sealing. */
export const system = [
  mounts.listMounts,
  methods.readMountedTune,
  methods.readMountedMethod,
  methods.writeMountedTune,
  tune.readTune,
  tune.writeTune,
  partitions.readPartitions,
  partitions.growPartitions,
  partitions.stopPartitions,
  mounts.readMount,
  mounts.createMount,
  mounts.deleteMount,
  leaseLookup.lookupLease,
  leaseLookup.lookupLeaseAt,
  leaseLookup.listLeases,
  leaseLookup.countLeases,
  leases.renewLease,
  leases.revokeLease,
  leases.revokeLeases,
  leases.forceRevokeLeases,
  leases.tidyLeases,
  methods.listMethods,
  methods.readMethodTune,
  methods.writeMethodTune,
  methods.readMethod,
  methods.enableAuth,
  methods.disableAuth,
  unlockUser,
  quotas.listQuotas,
  quotas.readQuota,
  quotas.writeQuota,
  quotas.deleteQuota,
  quotas.readQuotaConfig,
  quotas.writeQuotaConfig,
  cors.readCors,
  cors.writeCors,
  cors.deleteCors,
  remount,
  readRemount,
  managed.listManagedKeys,
  managed.testManagedKey,
  managed.readManagedKey,
  managed.writeManagedKey,
  managed.deleteManagedKey,
  catalog.readCatalog,
  catalog.listCatalog,
  catalog.readPlugin,
  catalog.versionHistory,
  readMetrics,
  rotateSeal,
  beginAnew,
  snapshot.backUp,
  snapshot.restore,
  snapshot.checkBackup,
  snapshot.backUpStore,
  snapshot.restoreStore,
  openapiSpec,
  uiMounts.listVisibleMounts,
  uiMounts.readVisibleMount,
  wrapping.wrapData,
  wrapping.unwrap,
  wrapping.lookupWrapping,
  wrapping.rewrapReply,
  tools.hashData,
  tools.randomBytes,
  ...policies,
  ...audit,
  ...eventSinks,
] as const;
