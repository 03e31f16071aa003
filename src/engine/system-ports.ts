/** Returns the time of the platform's clock (Unix ms). */
export const systemClock = (): number => Date.now();
const pool = new Uint8Array(4096);
let unused = 0;
/**
 * Returns random bytes. Small requests, for IDs and serial numbers, are served from a buffer that
 * is filled by one system call. Bytes are used once and then erased. In Workers, a system call was
 * measured to cost as much as a hash.
 */
export const systemRandom = (bytes: number): Uint8Array => {
  if (bytes > 16) return crypto.getRandomValues(new Uint8Array(bytes));
  if (unused < bytes) {
    crypto.getRandomValues(pool);
    unused = pool.length;
  }
  unused -= bytes;
  const result = pool.slice(unused, unused + bytes);
  pool.fill(0, unused, unused + bytes);
  return result;
};
