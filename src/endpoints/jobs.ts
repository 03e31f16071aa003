import { accountJob, keyJob } from "../acme/account/settle.ts";
import { claimJob } from "../acme/order/claim.ts";
import { roleEnd, secretEnd } from "../auth/approle/secret-end.ts";
import { pendingLoginEnd } from "../auth/jwt/pending-login.ts";
import { methodEndJob } from "../auth/method/end.ts";
import type { Job } from "../engine/deployment.ts";
import { expiryJob } from "../acme/protocol/expiry.ts";
import { validationJob } from "../acme/validation/validation-job.ts";
import { tokenEnd } from "../auth/token/end.ts";
import { eventDelivery } from "../events/delivery-job.ts";
import { logSequencing } from "../log/sequence.ts";
import { mountUnpublish } from "../pki/crl/crl-publish.ts";
import { backupEvent } from "../events/backup-event.ts";
import { eventExpiry } from "../pki/expiry/expiry-job.ts";
import { sinkJob } from "../sys/audit/sink-job.ts";
import { mountDrop } from "../sys/partitions/drop.ts";
import { growthJob } from "../sys/partitions/growth.ts";
import { tokenLeases } from "../sys/lease/token-leases.ts";
import { remountJob } from "../sys/mounts/remount.ts";
import { wrappedEnd } from "../wire/wrapped-end.ts";

/** Jobs of login methods in the `sys` store. */
export const loginJobs: readonly Job[] = [methodEndJob, roleEnd, secretEnd, pendingLoginEnd];

/** Jobs of the `sys` store. */
export const systemJobs: readonly Job[] = [
  tokenEnd,
  mountUnpublish,
  mountDrop,
  wrappedEnd,
  tokenLeases,
  remountJob,
  sinkJob,
  eventDelivery,
  eventExpiry,
  backupEvent,
  ...loginJobs,
];
/** ACME jobs of a mount. */
export const acmeJobs: readonly Job[] = [expiryJob, validationJob, claimJob, accountJob, keyJob];
/** The job that sequences a mount's log. */
export const logJobs: readonly Job[] = [logSequencing];
/** The job that moves a mount's rows to more partitions. */
export const partitionJobs: readonly Job[] = [growthJob];
