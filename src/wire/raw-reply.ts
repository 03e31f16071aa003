/** Bytes with their own media type, for the raw style. */
export interface RawReply {
  readonly type: string;
  readonly bytes: Uint8Array | string;
  /** Unix milliseconds; judged against If-Modified-Since. */
  readonly modified?: number;
  /**
   * Whether something else may have been here in the same second: then that date alone does not say
   * that it is the same.
   */
  readonly sharesDate?: boolean | undefined;
  /** Entity tag, quoted; judged against If-None-Match. */
  readonly etag?: string;
  /** Seconds a cache may keep it. */
  readonly maxAge?: number;
  /**
   * Where it depends on the path alone: when the oldest of what it is made of was read, Unix
   * milliseconds. It may then be given again until that is a second old (D 4).
   */
  readonly since?: number;
}
