/** The platform's time, Unix milliseconds. */
export const systemClock = (): number => Date.now();
const drawn = new Uint8Array(4096);
let left = 0;
/**
 * Random bytes. Short ones, for ids and serial numbers, are drawn many at once, each handed out
 * once and forgotten; measured in Workers, each draw costs as much as a hash.
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
