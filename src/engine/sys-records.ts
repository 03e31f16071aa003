import { rowReader } from "./row-reader.ts";
import type { Index } from "./ports.ts";

/**
 * Where a path leads, in the store `sys`. `free`: made by the first start, and nobody has written
 * into it yet. `restoring`: it is made by a restore that has not come to its end.
 */
export interface MountRoute {
  readonly uuid: string;
  readonly type: string;
  readonly free?: boolean;
  readonly restoring?: boolean;
}

/** What a mount that was removed has left behind where lists are published, in the store `sys`. */
export interface UnpublishRow {
  readonly names: readonly string[];
}
/** By what name the deployment goes where clients know clusters, in the store `sys`. */
export interface ClusterRow {
  readonly id: string;
}
/** Something that `sys/health` warns of, in the store `sys`. */
export interface NoticeRow {
  readonly text: string;
}
/**
 * A reply behind a wrapping token, in the store `sys`, encrypted under a key that only the token
 * gives. Index values: its end, and what its accessor gives.
 */
export interface WrappedRow {
  /** Unix milliseconds. */
  readonly end: number;
  /** A nonce of 12 bytes and the ciphertext with its tag. */
  readonly sealed: Uint8Array;
  /** What is told of it, likewise under a key that its accessor gives; empty: nothing. */
  readonly told: Uint8Array;
}
/** The key under which names are hashed for the audit, in the store `sys`. */
interface AuditKeyRow {
  readonly sealed: Uint8Array;
}
/** Where events are sent, in the store `sys`. */
export interface AuditSinkRow {
  readonly url: string;
  /** The secret that signs what is sent. */
  readonly sealed: Uint8Array;
  /** Certificates, DER, that the server is trusted by. */
  readonly roots: readonly Uint8Array[];
  /** Unix milliseconds. */
  readonly modified: number;
}
/** Which events were sent, in the store `sys`. */
export interface AuditSentRow {
  /** The last number of each log. */
  readonly sent: Readonly<Record<string, number>>;
  /** How many events in all. */
  readonly count: number;
  /** When some were sent last, Unix milliseconds. */
  readonly at: number;
}
/** A lock that one process has, in the store `sys`. */
interface LockRow {
  /** Random; the process that unlocks it. */
  readonly owner: string;
  /** Unix milliseconds. */
  readonly until: number;
}
/** How many calls had no valid token, in the store `sys`: by hours, Unix milliseconds. */
interface StrangersRow {
  readonly hours: readonly (readonly [begin: number, calls: number])[];
}

/** What the keys of the rows of `sys` begin with, where many rows of one kind are listed. */
export const belowSys = {
  routes: "mounts/",
  notices: "notice/",
  wrapped: "wrapped/",
} as const;
/** Keys of the rows of the store `sys`, in one place. */
export const sysKeys = {
  /** That the first start has happened. */
  installed: "installed",
  seal: "seal",
  cluster: "cluster",
  auditKey: "auditkey",
  auditSink: "auditsink",
  auditSent: "auditsent",
  strangers: "strangers",
  lock: (name: string) => `lock/${name}`,
  route: (path: string) => `${belowSys.routes}${path}`,
  /** Of one mount and one of its things. */
  notice: (mount: string, kind: string, id: string) => `${belowSys.notices}${mount}/${kind}/${id}`,
  unpublish: (mount: string) => `unpublish/${mount}`,
  /** That a store beside those of the mounts has had rows since its first use. */
  used: (store: string) => `used/${store}`,
  wrapped: (id: string) => `${belowSys.wrapped}${id}`,
} as const;

/** Name of the index by which wrapped replies are found by their end. */
export const wrappedEnds = "ends";
/** Name of the index by which they are found by what their accessors give. */
export const wrappedAccessors = "accessors";
/** The index value of a wrapped reply: Unix seconds, after its end. */
export const wrappedIndex = ({ end }: Pick<WrappedRow, "end">): Index => ({
  [wrappedEnds]: Math.ceil(end / 1000),
});

const nothing = new Uint8Array();
/** Reads a route. Older ones have no `type`: all mounts were of the type pki. */
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
  lock: rowReader<LockRow>({ owner: "", until: 0 }),
  wrapped: rowReader<WrappedRow>({ end: 0, sealed: nothing, told: nothing }),
} as const;
