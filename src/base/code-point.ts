/** False for text with a surrogate that has no partner: it has no UTF-8. */
export const wellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** Compares texts by code point; units alone would put characters beyond U+FFFF before U+E000. */
export function byCodePoint(one: string, other: string): number {
  const shared = Math.min(one.length, other.length);
  for (let i = 0; i < shared; i++) {
    const [a, b] = [one.charCodeAt(i), other.charCodeAt(i)];
    if (a !== b) return lifted(a) - lifted(b);
  }
  return one.length - other.length;
}
/** Puts surrogates above all other units. */
const lifted = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2800 : unit);
