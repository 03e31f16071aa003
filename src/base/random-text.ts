/** A function that returns secure random bytes. */
export type RandomBytes = (bytes: number) => Uint8Array;

/** The digits and letters of ASCII. */
export const alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * Returns `length` random characters of `alphabet`, chosen uniformly. Throws `TypeError` if the
 * random source is broken.
 */
export function randomText(random: RandomBytes, alphabet: string, length: number): string {
  // ignores bytes from `fair` on, because they would bias the result towards the first characters
  const fair = 256 - (256 % alphabet.length);
  let text = "";
  // on average, each round yields more than `length` characters, so if a hundred rounds do not
  // suffice, the source is broken
  for (let round = 0; text.length < length; round++) {
    if (round === 100) throw new TypeError("the source of random bytes returned none");
    for (const byte of random(2 * length))
      if (byte < fair) text += alphabet[byte % alphabet.length] ?? "";
  }
  return text.slice(0, length);
}
