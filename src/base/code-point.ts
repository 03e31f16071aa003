/** Reports whether a string has no unpaired surrogates and can therefore be encoded in UTF-8. */
export const wellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/**
 * Compares strings by code point. Comparing UTF-16 code units would sort characters beyond U+FFFF
 * before U+E000.
 */
export function byCodePoint(one: string, other: string): number {
  const shared = Math.min(one.length, other.length);
  for (let i = 0; i < shared; i++) {
    const [a, b] = [one.charCodeAt(i), other.charCodeAt(i)];
    if (a !== b) return lifted(a) - lifted(b);
  }
  return one.length - other.length;
}
/** Moves surrogates above all other code units. */
const lifted = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2800 : unit);
