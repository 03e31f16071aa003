import type { Mount } from "../../engine/mount.ts";
import { keys, type CrlRow } from "../../engine/records.ts";

/** Bytes of one piece of a published list: 1 MiB, half of what a Durable Object's row holds. */
const chunkSize = 1024 * 1024;
/** The pieces in which a list is stored and published. */
export const chunksOf = (der: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(der.length / chunkSize) }, (_, i) =>
    der.subarray(i * chunkSize, (i + 1) * chunkSize),
  );

/** Names under which the pieces of one list are published. */
export const publishedNames = (
  mount: string,
  set: string,
  number: number,
  chunks: number,
): readonly string[] =>
  Array.from({ length: chunks }, (_, chunk) => `${mount}/${keys.crlChunk(set, number, chunk)}`);

/**
 * Publishes a list. Readers that do not find it take the one of the store, so a failure here is
 * only told to the log.
 */
export async function publishCrl(
  ca: Mount,
  set: string,
  row: CrlRow,
  der: Uint8Array,
): Promise<void> {
  const { publish } = ca.ports;
  if (!publish) return;
  const chunks = chunksOf(der);
  const published = publishedNames(ca.name, set, row.number, chunks.length).map((name, i) =>
    publish.put(name, chunks[i] ?? new Uint8Array(0), row.next_update),
  );
  for (const done of await Promise.allSettled(published))
    if (done.status === "rejected")
      ca.ports.log?.({ endpoint: "publish crl", status: 500, ms: 0, cause: done.reason });
}
