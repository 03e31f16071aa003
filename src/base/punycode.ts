// Parameters (RFC 3492 section 5).
const [radix, tMin, tMax, skew, damp, initialBias, initialN] = [36, 1, 26, 38, 700, 72, 128];
const digits = "abcdefghijklmnopqrstuvwxyz0123456789";
const lastCodePoint = 0x10ffff;

/**
 * Encodes code points in Punycode (RFC 3492 section 6.3), without `xn--`. Callers must limit the
 * number of code points, because encoding takes quadratic time.
 */
export function encodePunycode(points: readonly number[]): string {
  const basic = points.filter((point) => point < initialN);
  let output = String.fromCharCode(...basic) + (basic.length > 0 ? "-" : "");
  let [n, delta, bias, handled] = [initialN, 0, initialBias, basic.length];
  while (handled < points.length) {
    const next = Math.min(...points.filter((point) => point >= n));
    delta += (next - n) * (handled + 1);
    for (const point of points) {
      if (point < next) delta++;
      if (point !== next) continue;
      output += variableLength(delta, bias);
      bias = adapt(delta, handled + 1, handled === basic.length);
      delta = 0;
      handled++;
    }
    delta++;
    n = next + 1;
  }
  return output;
}

function variableLength(delta: number, bias: number): string {
  let output = "";
  let rest = delta;
  for (let k = radix; ; k += radix) {
    const threshold = thresholdAt(k, bias);
    if (rest < threshold) return output + digits.charAt(rest);
    output += digits.charAt(threshold + ((rest - threshold) % (radix - threshold)));
    rest = Math.floor((rest - threshold) / (radix - threshold));
  }
}

const thresholdAt = (k: number, bias: number): number => Math.min(Math.max(k - bias, tMin), tMax);

function adapt(delta: number, points: number, first: boolean): number {
  let rest = Math.floor(delta / (first ? damp : 2));
  rest += Math.floor(rest / points);
  let k = 0;
  for (; rest > ((radix - tMin) * tMax) / 2; k += radix) rest = Math.floor(rest / (radix - tMin));
  return k + Math.floor(((radix - tMin + 1) * rest) / (rest + skew));
}

/**
 * Parses the number at position `at`. Returns the number and the next position, or undefined if the
 * number is invalid.
 */
function readNumber(
  text: string,
  at: number,
  bias: number,
): readonly [value: number, next: number] | undefined {
  let value = 0;
  for (let k = radix, weight = 1, i = at; i < text.length; k += radix, i++) {
    const digit = digits.indexOf(text.charAt(i));
    value += digit * weight;
    if (digit < 0 || value > 0x7fffffff) return undefined;
    const threshold = thresholdAt(k, bias);
    if (digit < threshold) return [value, i + 1];
    weight *= radix - threshold;
  }
  return undefined;
}

/**
 * Decodes the part after `xn--` of a lower-case label (RFC 3492 section 6.2). Returns undefined if
 * it cannot be decoded, or if the result is only ASCII and hence not a U-label (RFC 5890 section
 * 2.3.2.1).
 */
export function decodePunycode(text: string): string | undefined {
  const cut = text.lastIndexOf("-");
  const points = Array.from(
    text.slice(0, Math.max(0, cut)),
    (character) => character.codePointAt(0) ?? 0,
  );
  let [code, place, bias] = [initialN, 0, initialBias];
  if (points.some((point) => point >= initialN)) return undefined;
  for (let at = cut + 1; at < text.length;) {
    const delta = readNumber(text, at, bias);
    if (!delta) return undefined;
    const count = points.length + 1;
    const sum = place + delta[0];
    bias = adapt(delta[0], count, place === 0);
    code += Math.floor(sum / count);
    if (code > lastCodePoint || (code >= 0xd800 && code < 0xe000)) return undefined;
    place = sum % count;
    points.splice(place++, 0, code);
    at = delta[1];
  }
  return points.some((point) => point >= initialN) ? String.fromCodePoint(...points) : undefined;
}
