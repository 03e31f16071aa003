import { rowReader } from "./row-reader.ts";
import type { Index } from "./ports.ts";

/**
 * A route to a mount, in the `sys` store. If `free`, the initialization created the mount, and a
 * new mount may replace it while its store is unchanged. If `restoring`, the mount is being
 * restored. If `deleting`, its deletion has begun. `partitions` is the number of partitions, if
 * there are several.
 */
export interface MountRoute {
  readonly uuid: string;
  readonly type: string;
  readonly free?: boolean;
  readonly restoring?: boolean;
  readonly deleting?: boolean;
  readonly partitions?: number;
  /** Version of the rules that place rows in partitions; absent in older rows. */
  readonly placement?: number;
}

/** Published CRLs of a deleted mount that must still be deleted, in the `sys` store. */
export interface UnpublishRow {
  readonly names: readonly string[];
}
/** The cluster ID of the deployment, in the `sys` store. */
export interface ClusterRow {
  readonly id: string;
}
/** A warning for `sys/health`, in the `sys` store. */
export interface NoticeRow {
  readonly text: string;
}
/**
 * A wrapped response, in the `sys` store, encrypted with a key derived from the wrapping token. It
 * is indexed by expiry and by a hash of the token's accessor.
 */
export interface WrappedRow {
  /** Expiry (Unix ms). */
  readonly end: number;
  /** A nonce of 12 bytes and the ciphertext with its tag. */
  readonly sealed: Uint8Array;
  /**
   * Details of the wrapping token, encrypted with a key derived from its accessor; may be empty.
   */
  readonly told: Uint8Array;
}
/** The key that hashes names in audit events, in the `sys` store. */
interface AuditKeyRow {
  readonly sealed: Uint8Array;
}
/** The destination of audit events, in the `sys` store. */
export interface AuditSinkRow {
  readonly url: string;
  /** The sealed secret that signs the events sent to the destination. */
  readonly sealed: Uint8Array;
  /** DER certificates of the trust anchors for the destination's TLS server. */
  readonly roots: readonly Uint8Array[];
  /** Time of the last change (Unix ms). */
  readonly modified: number;
}
/** The progress of sending audit events, in the `sys` store. */
export interface AuditSentRow {
  /** By log, the sequence number of the last event that was sent. */
  readonly sent: Readonly<Record<string, number>>;
  /** Total number of events that were sent. */
  readonly count: number;
  /** Time of the last delivery (Unix ms). */
  readonly at: number;
}
/** A lock that a process holds, in the `sys` store. */
interface LockRow {
  /** Random ID of the lock's owner. */
  readonly owner: string;
  /** Number of renewals. An increase shows waiting processes that the owner is still alive. */
  readonly renewals: number;
}
/** Number of requests without a valid token by hour (Unix ms), in the `sys` store. */
interface AnonymousCallsRow {
  readonly hours: readonly (readonly [begin: number, calls: number])[];
}

/** Key prefixes of the rows in `sys` that are listed. */
export const belowSys = {
  routes: "mounts/",
  notices: "notice/",
  wrapped: "wrapped/",
} as const;
/** Row keys in the `sys` store. */
export const sysKeys = {
  /** Key of the marker that shows that the deployment is initialized. */
  installed: "installed",
  seal: "seal",
  cluster: "cluster",
  auditKey: "auditkey",
  auditSink: "auditsink",
  auditSent: "auditsent",
  anonymousCalls: "strangers",
  lock: (name: string) => `lock/${name}`,
  route: (path: string) => `${belowSys.routes}${path}`,
  /** Returns the key of a warning of the given kind about a part of a mount. */
  notice: (mount: string, kind: string, id: string) => `${belowSys.notices}${mount}/${kind}/${id}`,
  unpublish: (mount: string) => `unpublish/${mount}`,
  /**
   * Returns the key of the marker that shows that the store of an API without mounts has been
   * used.
   */
  used: (store: string) => `used/${store}`,
  wrapped: (id: string) => `${belowSys.wrapped}${id}`,
} as const;

/** Name of the index on the expiry of wrapped responses. */
export const wrappedEnds = "ends";
/** Name of the index on the accessor of wrapped responses. */
export const wrappedAccessors = "accessors";
/** Returns a wrapped response's value in the expiry index, in Unix seconds. */
export const wrappedIndex = ({ end }: Pick<WrappedRow, "end">): Index => ({
  [wrappedEnds]: Math.ceil(end / 1000),
});

const nothing = new Uint8Array();
/** Parses the row of a route. Older routes have no `type`, because all mounts had the type pki. */
export const storedRoute = rowReader<MountRoute>({ uuid: "", type: "pki" });

/** Parsers for the rows in the `sys` store. */
export const storedSys = {
  cluster: rowReader<ClusterRow>({ id: "" }),
  notice: rowReader<NoticeRow>({ text: "" }),
  unpublish: rowReader<UnpublishRow>({ names: [] }),
  auditKey: rowReader<AuditKeyRow>({ sealed: nothing }),
  auditSink: rowReader<AuditSinkRow>({ url: "", sealed: nothing, roots: [], modified: 0 }),
  auditSent: rowReader<AuditSentRow>({ sent: {}, count: 0, at: 0 }),
  anonymousCalls: rowReader<AnonymousCallsRow>({ hours: [] }),
  lock: rowReader<LockRow>({ owner: "", renewals: 0 }),
  wrapped: rowReader<WrappedRow>({ end: 0, sealed: nothing, told: nothing }),
} as const;
