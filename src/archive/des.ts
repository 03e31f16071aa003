/** Positions of key bits in permuted choice 1 (FIPS 46-3), counted from 1. */
const choice1 = [
  57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60,
  52, 44, 36, 63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21,
  13, 5, 28, 20, 12, 4,
];
const choice2 = [
  14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2, 41, 52,
  31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
];
const permutation = [
  16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13,
  30, 6, 22, 11, 4, 25,
];
/** The S-boxes S1 to S8, with four rows of 16 values each, one hexadecimal digit per value. */
const boxes = [
  "e4d12fb83a6c59070f74e2d1a6cb953841e8d62bfc973a50fc8249175b3ea06d",
  "f18e6b34972dc05a3d47f28ec01a69b50e7ba4d158c6932fd8a13f42b67c05e9",
  "a09e63f51dc7b428d709346a285ecbf1d6498f30b12c5ae71ad069874fe3b52c",
  "7de3069a1285bc4fd8b56f03472c1ae9a690cb7df13e52843f06a1d8945bc72e",
  "2c417ab6853fd0e9eb2c47d150fa3986421bad78f9c5630eb8c71e2d6f09a453",
  "c1af92680d34e75baf427c9561de0b389ef528c3704a1db6432c95fabe17608d",
  "4b2ef08d3c975a61d0b7491ae35c2f8614bdc37eaf6805926bd814a7950fe23c",
  "d2846fb1a93e50c71fd8a374c56b0e927b419ce206adf35821e74a8dfc90356b",
];
const rotations = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1];

const bitsOf = (bytes: ArrayLike<number>): readonly number[] =>
  Array.from({ length: 8 * bytes.length }, (_, i) => ((bytes[i >> 3] ?? 0) >> (7 - (i & 7))) & 1);
const numberOf = (bits: readonly number[]): number =>
  bits.reduce((value, bit) => ((value << 1) | bit) >>> 0, 0);

/** Permuted outputs of the S-boxes: 64 values for each box, whose index is the six input bits. */
const substitutions = Uint32Array.from({ length: 512 }, (_, i) => {
  const [box, input] = [i >> 6, i & 63];
  const [row, column] = [((input >> 4) & 2) | (input & 1), (input >> 1) & 15];
  const value = Number.parseInt(boxes[box]?.[16 * row + column] ?? "0", 16);
  const placed = (value << (28 - 4 * box)) >>> 0;
  return numberOf(permutation.map((bit) => (placed >>> (32 - bit)) & 1));
});

/**
 * Returns the 16 round keys of a DES key. Each consists of two words with six bits per byte: the
 * first for S1, S3, S5 and S7, the second for the other S-boxes.
 */
function scheduleOf(key: Uint8Array): readonly (readonly number[])[] {
  const bits = bitsOf(key);
  const chosen = choice1.map((bit) => bits[bit - 1] ?? 0);
  let turned = 0;
  return rotations.map((by) => {
    turned += by;
    const halves = [chosen.slice(0, 28), chosen.slice(28)].flatMap((half) => [
      ...half.slice(turned % 28),
      ...half.slice(0, turned % 28),
    ]);
    const round = choice2.map((bit) => halves[bit - 1] ?? 0);
    return [0, 1].map((first) =>
      [0, 2, 4, 6].reduce((word, box) => {
        const at = 6 * (box + first);
        return (word << 8) | numberOf(round.slice(at, at + 6));
      }, 0),
    );
  });
}

/** Returns the permuted output of the eight S-boxes for half a block and a round key. */
function mixed(half: number, odd: number, even: number): number {
  const a = ((half >>> 3) | (half << 29)) ^ odd;
  const b = ((half << 1) | (half >>> 31)) ^ even;
  // every index is below 512, the length of the array
  const at = (index: number): number => substitutions[index] ?? 0;
  return (
    at((a >>> 24) & 63) ^
    at(64 | ((b >>> 24) & 63)) ^
    at(128 | ((a >>> 16) & 63)) ^
    at(192 | ((b >>> 16) & 63)) ^
    at(256 | ((a >>> 8) & 63)) ^
    at(320 | ((b >>> 8) & 63)) ^
    at(384 | (a & 63)) ^
    at(448 | (b & 63))
  );
}

/**
 * Swaps bits between the two halves of a block: the bits of `mask` in `low`, and the bits `shift`
 * positions higher in `high`.
 */
function swapBits(halves: Uint32Array, [shift, mask, isReverse]: PermutationStep): void {
  const [high, low] = isReverse ? [1, 0] : [0, 1];
  const [a = 0, b = 0] = [halves[high], halves[low]];
  const bits = ((a >>> shift) ^ b) & mask;
  halves[low] = b ^ bits;
  halves[high] = a ^ (bits << shift);
}

type PermutationStep = readonly [shift: number, mask: number, isReverse: boolean];
/** The initial permutation, as steps that are each their own inverse. */
const initial: readonly PermutationStep[] = [
  [4, 0x0f0f0f0f, false],
  [16, 0x0000ffff, false],
  [2, 0x33333333, true],
  [8, 0x00ff00ff, true],
  [1, 0x55555555, false],
];
const final = initial.toReversed();

/** A function that decrypts the eight bytes at an offset in place. */
export type DecryptBlock = (bytes: DataView, at: number) => void;

/**
 * Returns a function that decrypts triple DES (FIPS 46-3) with a key of 16 or 24 bytes. It is only
 * used to import archives; nothing is encrypted with triple DES.
 */
export function tripleDes(key: Uint8Array): DecryptBlock {
  const parts = [0, 8, key.length === 16 ? 0 : 16].map((at) =>
    scheduleOf(key.subarray(at, at + 8)),
  );
  const [first = [], second = [], third = []] = parts;
  const keys = Int32Array.from([third.toReversed(), second, first.toReversed()].flat(2));
  const halves = new Uint32Array(2);
  return (bytes, at) => {
    halves[0] = bytes.getUint32(at);
    halves[1] = bytes.getUint32(at + 4);
    for (const step of initial) swapBits(halves, step);
    let [left = 0, right = 0] = halves;
    for (let i = 0; i < keys.length; i += 2) {
      const next = left ^ mixed(right, keys[i] ?? 0, keys[i + 1] ?? 0);
      // the halves are not swapped after the last round of a pass
      if (i % 32 === 30) left = next;
      else [left, right] = [right, next];
    }
    halves[0] = left;
    halves[1] = right;
    for (const step of final) swapBits(halves, step);
    bytes.setUint32(at, halves[0] ?? 0);
    bytes.setUint32(at + 4, halves[1] ?? 0);
  };
}
