/** Bits of a block in the order of the initial permutation (FIPS 46-3), counted from 1. */
const initial = [58, 60, 62, 64, 57, 59, 61, 63].flatMap((first) =>
  Array.from({ length: 8 }, (_, i) => first - 8 * i),
);
const final = initial.map((_, i) => initial.indexOf(i + 1) + 1);
/** Bits of the key in the order of the first choice. */
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
/** The boxes S1 to S8, four rows of 16 each, one hexadecimal digit a value. */
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
const rotate = (value: number, by: number): number =>
  by % 32 === 0 ? value : (value << (by % 32)) | (value >>> (32 - (by % 32)));

/** Output of each box for each input, permuted. */
const substitutions = boxes.map((rows, box) =>
  Uint32Array.from({ length: 64 }, (_, input) => {
    const [row, column] = [((input >> 4) & 2) | (input & 1), (input >> 1) & 15];
    const value = Number.parseInt(rows[16 * row + column] ?? "0", 16);
    const placed = (value << (28 - 4 * box)) >>> 0;
    return numberOf(permutation.map((bit) => (placed >>> (32 - bit)) & 1));
  }),
);

/** The round keys of a DES key, each as eight numbers of six bits. */
type Schedule = readonly (readonly number[])[];

function scheduleOf(key: Uint8Array): Schedule {
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
    return Array.from({ length: 8 }, (_, i) => numberOf(round.slice(6 * i, 6 * i + 6)));
  });
}

/** One pass of DES over two halves that are permuted already; returns them swapped. */
function rounds(left: number, right: number, schedule: Schedule): readonly [number, number] {
  for (const key of schedule) {
    let mixed = 0;
    for (let box = 0; box < 8; box++)
      mixed ^= substitutions[box]?.[(rotate(right, 4 * box + 5) & 63) ^ (key[box] ?? 0)] ?? 0;
    [left, right] = [right, (left ^ mixed) >>> 0];
  }
  return [right, left];
}

function permute(block: Uint8Array, order: readonly number[]): readonly [number, number] {
  const bits = bitsOf(block);
  const permuted = order.map((bit) => bits[bit - 1] ?? 0);
  return [numberOf(permuted.slice(0, 32)), numberOf(permuted.slice(32))];
}

/**
 * Returns a function that decrypts a block of eight bytes by triple DES (FIPS 46-3) under a key of
 * 16 or 24 bytes. For import only: nothing is encrypted with it.
 */
export function tripleDes(key: Uint8Array): (block: Uint8Array) => Uint8Array {
  const parts = [0, 8, key.length === 16 ? 0 : 16].map((at) =>
    scheduleOf(key.subarray(at, at + 8)),
  );
  const [first = [], second = [], third = []] = parts;
  const passes = [third.toReversed(), second, first.toReversed()];
  return (block) => {
    let [left, right] = permute(block, initial);
    for (const schedule of passes) [left, right] = rounds(left, right, schedule);
    const out = new DataView(new ArrayBuffer(8));
    out.setUint32(0, left);
    out.setUint32(4, right);
    const [high, low] = permute(new Uint8Array(out.buffer), final);
    out.setUint32(0, high);
    out.setUint32(4, low);
    return new Uint8Array(out.buffer);
  };
}
