import type { Index } from "./ports.ts";

/**
 * Where a path leads, in the store `sys`. `free`: made by the first start, and nobody has written
 * into it yet.
 */
export interface MountRoute {
  readonly uuid: string;
  readonly type: string;
  readonly free?: boolean;
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
 * gives. Index value: its end.
 */
export interface WrappedRow {
  /** Unix milliseconds. */
  readonly end: number;
  /** A nonce of 12 bytes and the ciphertext with its tag. */
  readonly sealed: Uint8Array;
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
/** The index value of a wrapped reply: Unix seconds, after its end. */
export const wrappedIndex = ({ end }: Pick<WrappedRow, "end">): Index => ({
  [wrappedEnds]: Math.ceil(end / 1000),
});
