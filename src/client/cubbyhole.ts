// Made by `npm run generate`; what is changed here is lost.
import type { CallOptions, Warned } from "./call.ts";
import type { Table } from "./table.ts";

/** What `readCubbyhole` takes. */
export type ReadCubbyholeInput = {
  /** Path below the cubbyhole; it may have slashes. */
  readonly cubbyhole_path: string;
};
/** What `readCubbyhole` answers. */
export type ReadCubbyholeReply = Readonly<Record<string, unknown>>;
/** What `writeCubbyhole` takes. */
export type WriteCubbyholeInput = {
  /** Path below the cubbyhole; it may have slashes. */
  readonly cubbyhole_path: string;
  readonly [name: string]: unknown;
};
/** What `writeCubbyhole` answers. */
export type WriteCubbyholeReply = Warned | undefined;
/** What `deleteCubbyhole` takes. */
export type DeleteCubbyholeInput = ReadCubbyholeInput;
/** What `deleteCubbyhole` answers. */
export type DeleteCubbyholeReply = WriteCubbyholeReply;
/** What `listCubbyhole` takes. */
export type ListCubbyholeInput = {
  /** Path below the cubbyhole; it may have slashes. */
  readonly cubbyhole_path?: string | undefined;
};
/** What `listCubbyhole` answers. */
export type ListCubbyholeReply = {
  /** Names. */
  readonly keys: readonly string[];
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};

/** Typed client: Every endpoint below `/v1/cubbyhole`: what a token keeps for itself. */
export interface CubbyholeClient {
  /**
   * Returns a value that the caller's token keeps. No other token can read it.
   *
   * `GET /v1/cubbyhole/:cubbyhole_path+`.
   */
  readCubbyhole(input: ReadCubbyholeInput, options?: CallOptions): Promise<ReadCubbyholeReply>;
  /**
   * Keeps the body for the caller's token, encrypted under a key that only the token gives,
   * until the token ends.
   *
   * `POST /v1/cubbyhole/:cubbyhole_path+`.
   *
   * Refuses with `malformed`, `too_large`.
   */
  writeCubbyhole(input: WriteCubbyholeInput, options?: CallOptions): Promise<WriteCubbyholeReply>;
  /**
   * Deletes a value that the caller's token keeps.
   *
   * `DELETE /v1/cubbyhole/:cubbyhole_path+`.
   */
  deleteCubbyhole(
    input: DeleteCubbyholeInput,
    options?: CallOptions,
  ): Promise<DeleteCubbyholeReply>;
  /**
   * Lists the names below a path that the caller's token keeps; those with more below end in a
   * slash.
   *
   * `LIST /v1/cubbyhole/`, `LIST /v1/cubbyhole/:cubbyhole_path+`.
   */
  listCubbyhole(input?: ListCubbyholeInput, options?: CallOptions): Promise<ListCubbyholeReply>;
}

/** Every endpoint below `/v1/cubbyhole`: what a token keeps for itself. */
export const cubbyhole: Table<CubbyholeClient> = {
  readCubbyhole: "open GET /:cubbyhole_path+",
  writeCubbyhole: "POST /:cubbyhole_path+",
  deleteCubbyhole: "DELETE /:cubbyhole_path+",
  listCubbyhole: "LIST /|LIST /:cubbyhole_path+",
};
