// Made by `npm run generate`; what is changed here is lost.
import type { CallOptions, Warned, Warnings } from "./call.ts";
import type { Table } from "./table.ts";

export type ReadCubbyholeInput = {
  /** Path below the cubbyhole; may contain slashes. */
  readonly cubbyhole_path: string;
};
export type ReadCubbyholeReply = Readonly<Record<string, unknown>>;
export type WriteCubbyholeInput = {
  /** Path below the cubbyhole; may contain slashes. */
  readonly cubbyhole_path: string;
  readonly [name: string]: unknown;
};
export type WriteCubbyholeReply = Warned | undefined;
export type DeleteCubbyholeInput = ReadCubbyholeInput;
export type DeleteCubbyholeReply = WriteCubbyholeReply;
export type ListCubbyholeInput = {
  /** Path below the cubbyhole; may contain slashes. */
  readonly cubbyhole_path?: string | undefined;
};
export type ListCubbyholeReply = {
  /** Names. */
  readonly keys: readonly string[];
} & Warnings;

/** Typed client: Every endpoint below `/v1/cubbyhole`: private storage of a token. */
export interface CubbyholeClient {
  /**
   * Returns a value stored with the caller's token. No other token can read it.
   * `GET /v1/cubbyhole/:cubbyhole_path+`.
   */
  readCubbyhole(input: ReadCubbyholeInput, options?: CallOptions): Promise<ReadCubbyholeReply>;
  /**
   * Stores the body until the caller's token expires, encrypted with a key derived from that token.
   * `POST /v1/cubbyhole/:cubbyhole_path+`. Fails with `malformed`, `too_large`.
   */
  writeCubbyhole(input: WriteCubbyholeInput, options?: CallOptions): Promise<WriteCubbyholeReply>;
  /** Deletes a value stored with the caller's token. `DELETE /v1/cubbyhole/:cubbyhole_path+`. */
  deleteCubbyhole(
    input: DeleteCubbyholeInput,
    options?: CallOptions,
  ): Promise<DeleteCubbyholeReply>;
  /**
   * Lists the names below a path of the caller's cubbyhole; folders end with a slash.
   * `LIST /v1/cubbyhole/`, `LIST /v1/cubbyhole/:cubbyhole_path+`.
   */
  listCubbyhole(input?: ListCubbyholeInput, options?: CallOptions): Promise<ListCubbyholeReply>;
}

/** Every endpoint below `/v1/cubbyhole`: private storage of a token. */
export const cubbyhole: Table<CubbyholeClient> = {
  readCubbyhole: "open GET /:cubbyhole_path+",
  writeCubbyhole: "free= POST /:cubbyhole_path+",
  deleteCubbyhole: "DELETE /:cubbyhole_path+",
  listCubbyhole: "LIST /|LIST /:cubbyhole_path+",
};
