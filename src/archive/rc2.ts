import { fromHex } from "../base/bytes.ts";
import type { DecryptBlock } from "./des.ts";

/** PITABLE from RFC 2268 section 2. */
const table = fromHex(
  "d978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2" +
    "179a59f587b34f1361456d8d09817d32bd8f40eb86b77b0bf09521225c6b4e82" +
    "54d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb626" +
    "6fbf0eda4669075727f21d9bbc944303f811c7f690ef3ee706c3d52fc8661ed7" +
    "08e8eade8052eef784aa72ac354d6a2a961ad2715a1549744b9fd05e0418a4ec" +
    "c2e0416e0f51cbcc2491af50a1f47039997c3a8523b8b47afc02365b25559731" +
    "2d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a9" +
    "0d38341bab33ffb0bb480c5fb9b1cd2ec5f3db47e5a59c770aa62068fe7fc1ad",
);
const shifts = [1, 2, 3, 5];

/** Expands a key to 64 words (RFC 2268 section 2). All bits of the key are effective. */
function wordsOf(key: Uint8Array): Uint16Array {
  const bytes = new Uint8Array(128);
  bytes.set(key);
  const { length } = key;
  const substitute = (at: number): number => table[at & 0xff] ?? 0;
  for (let i = length; i < 128; i++)
    bytes[i] = substitute((bytes[i - 1] ?? 0) + (bytes[i - length] ?? 0));
  bytes[128 - length] = substitute(bytes[128 - length] ?? 0);
  for (let i = 127 - length; i >= 0; i--)
    bytes[i] = substitute((bytes[i + 1] ?? 0) ^ (bytes[i + length] ?? 0));
  return Uint16Array.from(
    { length: 64 },
    (_, i) => (bytes[2 * i] ?? 0) | ((bytes[2 * i + 1] ?? 0) << 8),
  );
}

/**
 * Returns a function that decrypts RC2 (RFC 2268 section 4) with a key whose bits are all
 * effective. It is only used to import archives; nothing is encrypted with RC2.
 */
export function rc2(key: Uint8Array): DecryptBlock {
  const words = wordsOf(key);
  const r = new Uint16Array(4);
  const at = (i: number): number => r[i & 3] ?? 0;
  return (bytes, from) => {
    for (let i = 0; i < 4; i++) r[i] = bytes.getUint16(from + 2 * i, true);
    let j = 63;
    for (let round = 15; round >= 0; round--) {
      for (let i = 3; i >= 0; i--) {
        const shift = shifts[i] ?? 0;
        const turned = (at(i) >>> shift) | (at(i) << (16 - shift));
        r[i] = turned - (words[j--] ?? 0) - (at(i - 1) & at(i - 2)) - (~at(i - 1) & at(i - 3));
      }
      // five mixing rounds, a mashing round, six mixing rounds, a mashing round, and five mixing
      // rounds
      if (round === 11 || round === 5)
        for (let i = 3; i >= 0; i--) r[i] = at(i) - (words[at(i - 1) & 63] ?? 0);
    }
    for (let i = 0; i < 4; i++) bytes.setUint16(from + 2 * i, at(i), true);
  };
}
