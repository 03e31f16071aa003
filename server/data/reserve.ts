import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Disk space in bytes that a start needs for the index of the write-ahead log, sockets and notes.
 */
const reservedBytes = 256 * 1024;

const reserveIn = (dataDir: string): string => join(dataDir, "reserve");

/**
 * Frees the reserved disk space of a data directory if the disk is full, so that the server can
 * start and serve CRLs and OCSP.
 */
export function useReserve(dataDir: string): void {
  const { bavail, bsize } = statfsSync(dataDir);
  if (bavail * bsize < reservedBytes) rmSync(reserveIn(dataDir), { force: true });
}

/** Reserves disk space, if possible, for a start on a full disk. */
export function fillReserve(dataDir: string): void {
  const path = reserveIn(dataDir);
  try {
    // nonzero, because some file systems store blocks of zeros as holes, which reserve nothing
    writeFileSync(path, Buffer.alloc(reservedBytes, 1), { mode: 0o600 });
  } catch {
    rmSync(path, { force: true });
  }
}
