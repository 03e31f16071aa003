import { CaError } from "../../base/errors.ts";
import { fromBase64 } from "../../base/bytes.ts";
import { keys, type MetadataRow } from "../../engine/records.ts";
import type { Case } from "../request/case.ts";
import { askRule } from "../request/judge.ts";
import type { Role } from "./role.ts";

/**
 * What a request carries as metadata: undefined when it carries none, "" for a record without a
 * value.
 */
export type Metadata = string | undefined;

/**
 * The metadata of a request under either of its names, asked as one rule where there is any (A 10).
 */
export function judgeMetadata(
  {
    input,
    judge,
  }: Pick<
    Case<{ readonly metadata?: string | undefined; readonly cert_metadata?: string | undefined }>,
    "input" | "judge"
  >,
  { no_store_metadata: refused }: Pick<Role, "no_store_metadata">,
): Metadata {
  const value = input.cert_metadata ?? input.metadata;
  if (value === undefined) return undefined;
  return askRule(
    judge,
    { rule: "no_store_metadata", input: "metadata" },
    () => accepted(value, refused),
    () => undefined,
  );
}
function accepted(value: string, refused: boolean): Metadata {
  if (refused && value !== "")
    throw new CaError(
      "malformed",
      "metadata was given but the role does not store it (no_store_metadata)",
    );
  if (fromBase64(value) === undefined)
    throw new CaError("malformed", "metadata must be empty or base64");
  return refused ? undefined : value;
}

/** The row that keeps metadata with a certificate's serial number. */
export const metadataRow = (
  serial: Uint8Array,
  {
    metadata,
    notAfter,
    ...of
  }: Pick<MetadataRow, "issuer" | "role"> & {
    readonly notAfter: number;
    readonly metadata: string;
  },
): readonly [string, MetadataRow] => [
  keys.metadata(serial),
  { ...of, not_after: notAfter, ...(metadata === "" ? {} : { value: metadata }) },
];
