/** Returns the platform's time (Unix ms). */
export const systemClock = (): number => Date.now();
const drawn = new Uint8Array(4096);
let left = 0;
/**
 * Returns random bytes. Few bytes, for ids and serial numbers, come from a buffer that is filled at
 * once, used once and erased: measured in Workers, each system call costs as much as a hash.
 */
export const systemRandom = (bytes: number): Uint8Array => {
  if (bytes > 16) return crypto.getRandomValues(new Uint8Array(bytes));
  if (left < bytes) {
    crypto.getRandomValues(drawn);
    left = drawn.length;
  }
  left -= bytes;
  const given = drawn.slice(left, left + bytes);
  drawn.fill(0, left, left + bytes);
  return given;
};
