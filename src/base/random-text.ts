/** Secure random bytes. */
export type RandomBytes = (bytes: number) => Uint8Array;

/** Digits and letters. */
export const alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * Draws a text of `length` characters, each with the same probability. Throws `TypeError` when the
 * source of chance gives none.
 */
export function randomText(random: RandomBytes, alphabet: string, length: number): string {
  // bytes from here on would make the first characters likelier
  const fair = 256 - (256 % alphabet.length);
  let text = "";
  // each round gives 1.8 characters for every one that is wanted: a hundred rounds without success
  // are no chance
  for (let round = 0; text.length < length; round++) {
    if (round === 100) throw new TypeError("the source of random bytes returned none");
    for (const byte of random(2 * length))
      if (byte < fair) text += alphabet[byte % alphabet.length] ?? "";
  }
  return text.slice(0, length);
}
