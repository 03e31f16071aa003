import { rowReader } from "./row-reader.ts";
import type { Index } from "./ports.ts";

/**
 * A route to a mount, in the store `sys`. `free`: created by the first start, and not written to
 * yet. `restoring`: created by a restore that is not complete. `partitions`: number of partitions
 * of the mount, unless it has one.
 */
export interface MountRoute {
  readonly uuid: string;
  readonly type: string;
  readonly free?: boolean;
  readonly restoring?: boolean;
  readonly partitions?: number;
}

/** Published CRLs that a deleted mount left behind, in the store `sys`. */
export interface UnpublishRow {
  readonly names: readonly string[];
}
/** The cluster id of the deployment, in the store `sys`. */
export interface ClusterRow {
  readonly id: string;
}
/** A warning of `sys/health`, in the store `sys`. */
export interface NoticeRow {
  readonly text: string;
}
/**
 * A wrapped reply, in the store `sys`, encrypted with a key derived from its token. Index values:
 * its expiry, and a hash of its accessor.
 */
export interface WrappedRow {
  /** Unix milliseconds. */
  readonly end: number;
  /** A nonce of 12 bytes and the ciphertext with its tag. */
  readonly sealed: Uint8Array;
  /** Details of the token, encrypted with a key derived from its accessor; may be empty. */
  readonly told: Uint8Array;
}
/** The key that hashes names in audit events, in the store `sys`. */
interface AuditKeyRow {
  readonly sealed: Uint8Array;
}
/** The destination of audit events, in the store `sys`. */
export interface AuditSinkRow {
  readonly url: string;
  /** The secret that signs the events sent there, sealed. */
  readonly sealed: Uint8Array;
  /** Trusted CA certificates of the server, DER. */
  readonly roots: readonly Uint8Array[];
  /** Unix milliseconds. */
  readonly modified: number;
}
/** The events already sent, in the store `sys`. */
export interface AuditSentRow {
  /** The last number of each log. */
  readonly sent: Readonly<Record<string, number>>;
  /** Total number of events sent. */
  readonly count: number;
  /** Time of the last delivery (Unix ms). */
  readonly at: number;
}
/** A lock of one process, in the store `sys`. */
interface LockRow {
  /** Random id of the process that holds the lock. */
  readonly owner: string;
  /** Number of renewals, by which waiting processes see that the owner is still alive. */
  readonly renewals: number;
}
/** Number of calls without a valid token, in the store `sys`, by hour (Unix ms). */
interface StrangersRow {
  readonly hours: readonly (readonly [begin: number, calls: number])[];
}

/** Key prefixes of rows in `sys` that are listed. */
export const belowSys = {
  routes: "mounts/",
  notices: "notice/",
  wrapped: "wrapped/",
} as const;
/** Keys of the rows of the store `sys`. */
export const sysKeys = {
  /** Marker that the first start has happened. */
  installed: "installed",
  seal: "seal",
  cluster: "cluster",
  auditKey: "auditkey",
  auditSink: "auditsink",
  auditSent: "auditsent",
  strangers: "strangers",
  lock: (name: string) => `lock/${name}`,
  route: (path: string) => `${belowSys.routes}${path}`,
  /** Notice of a kind about a part of a mount. */
  notice: (mount: string, kind: string, id: string) => `${belowSys.notices}${mount}/${kind}/${id}`,
  unpublish: (mount: string) => `unpublish/${mount}`,
  /** Marker that a store other than the mounts' has been used. */
  used: (store: string) => `used/${store}`,
  wrapped: (id: string) => `${belowSys.wrapped}${id}`,
} as const;

/** Index of wrapped replies by expiry. */
export const wrappedEnds = "ends";
/** Index of wrapped replies by accessor. */
export const wrappedAccessors = "accessors";
/** Returns the expiry index value of a wrapped reply, Unix seconds. */
export const wrappedIndex = ({ end }: Pick<WrappedRow, "end">): Index => ({
  [wrappedEnds]: Math.ceil(end / 1000),
});

const nothing = new Uint8Array();
/** Reads a route. Older routes have no `type`; all were of type pki. */
export const storedRoute = rowReader<MountRoute>({ uuid: "", type: "pki" });

/** Readers of the rows of the store `sys`. */
export const storedSys = {
  cluster: rowReader<ClusterRow>({ id: "" }),
  notice: rowReader<NoticeRow>({ text: "" }),
  unpublish: rowReader<UnpublishRow>({ names: [] }),
  auditKey: rowReader<AuditKeyRow>({ sealed: nothing }),
  auditSink: rowReader<AuditSinkRow>({ url: "", sealed: nothing, roots: [], modified: 0 }),
  auditSent: rowReader<AuditSentRow>({ sent: {}, count: 0, at: 0 }),
  strangers: rowReader<StrangersRow>({ hours: [] }),
  lock: rowReader<LockRow>({ owner: "", renewals: 0 }),
  wrapped: rowReader<WrappedRow>({ end: 0, sealed: nothing, told: nothing }),
} as const;
