/** Reads names of other scripts out of their form in the DNS, to show both. Parameters and procedure of RFC 3492. */

const base = 36;
const [least, most, skew, damp] = [1, 26, 38, 700];

/** Value of a digit, a to z before 0 to 9; -1 for anything else. */
const digit = (character: string): number => (/^[a-z]$/.test(character) ? character.charCodeAt(0) - 97 : /^\d$/.test(character) ? Number(character) + 26 : -1);

/** RFC 3492 section 6.1. */
function adapt(delta: number, points: number, first: boolean): number {
  let rest = Math.floor(delta / (first ? damp : 2));
  rest += Math.floor(rest / points);
  let k = 0;
  for (; rest > ((base - least) * most) / 2; k += base) rest = Math.floor(rest / (base - least));
  return k + Math.floor(((base - least + 1) * rest) / (rest + skew));
}

/** The number that begins at `at` and where it ends; undefined when it is none. RFC 3492 section 6.2. */
function readNumber(text: string, at: number, bias: number): readonly [value: number, next: number] | undefined {
  let value = 0;
  for (let k = base, weight = 1, i = at; i < text.length; k += base, i++) {
    const found = digit(text.charAt(i));
    if (found < 0) return undefined;
    value += found * weight;
    if (value > 0x7fffffff) return undefined;
    const threshold = Math.min(most, Math.max(least, k - bias));
    if (found < threshold) return [value, i + 1];
    weight *= base - threshold;
  }
  return undefined;
}

/** Letters of a label without its `xn--`; undefined when it is no punycode. */
function decodeLabel(text: string): string | undefined {
  const cut = text.lastIndexOf("-");
  const points = Array.from(text.slice(0, Math.max(0, cut)), (character) => character.codePointAt(0) ?? 0);
  let [code, place, bias] = [128, 0, 72];
  for (let at = cut + 1; at < text.length;) {
    const found = readNumber(text, at, bias);
    if (!found) return undefined;
    const [step, next] = found;
    const count = points.length + 1;
    const sum = place + step;
    bias = adapt(step, count, place === 0);
    code += Math.floor(sum / count);
    if (code > 0x10ffff) return undefined;
    place = sum % count;
    points.splice(place++, 0, code);
    at = next;
  }
  return points.some((point) => point > 127) ? String.fromCodePoint(...points) : undefined;
}

/** `bücher.example` of `xn--bcher-kva.example`; undefined when no label is punycode or one is broken. */
export function unicodeForm(name: string): string | undefined {
  const labels = name.toLowerCase().split(".");
  if (!labels.some((label) => label.startsWith("xn--"))) return undefined;
  const read = labels.map((label) => (label.startsWith("xn--") ? decodeLabel(label.slice(4)) : label));
  return read.includes(undefined) ? undefined : read.join(".");
}
