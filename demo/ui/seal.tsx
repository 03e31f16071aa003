import type { JSX } from "preact";

/** Returns a closed wavy line around the center. */
function ring(radius: number, depth: number, lobes: number, phase: number): string {
  const steps = 180;
  const points = Array.from({ length: steps + 1 }, (_, i) => {
    const angle = (i / steps) * 2 * Math.PI;
    const r = radius + depth * Math.sin(lobes * angle + phase);
    return `${(r * Math.cos(angle)).toFixed(1)} ${(r * Math.sin(angle)).toFixed(1)}`;
  });
  return `M${points.join("L")}Z`;
}

/**
 * Returns the lines of a seal and their widths, derived from a SHA-256 hash in hexadecimal. Small
 * seals have fewer and thicker lines.
 */
function sealLines(
  sha256: string,
  small: boolean,
): readonly (readonly [path: string, width: number])[] {
  const byte = (i: number): number => Number.parseInt(sha256.slice(2 * i, 2 * i + 2), 16) || 0;
  const lobes = 5 + (byte(0) % 7);
  const inner = 3 + (byte(1) % 5);
  const depth = 6 + (byte(2) % 6);
  const turn = byte(3) / 40;
  const width = small ? 2.4 : 1.1;
  const rim: readonly [string, number] = small
    ? [ring(46, 0, 1, 0), 2.6]
    : [ring(46, 1.6, 36, 0), 1.6];
  const weave = (small ? [0, 2] : [0, 1, 2, 3]).map(
    (k) => [ring(31, depth, lobes, turn + (k * Math.PI) / 2), width] as const,
  );
  const heart = (small ? [0] : [0, 1]).map(
    (k) => [ring(13, 3 + (byte(4) % 4), inner, turn + k * Math.PI), width] as const,
  );
  return [rim, ...weave, ...heart];
}

/**
 * A drawing derived from a certificate's fingerprint. It helps users to recognize the certificate
 * but proves nothing, so the fingerprint must be shown next to it.
 */
export function Seal({
  sha256,
  tone = "",
  size,
}: {
  sha256: string;
  tone?: string;
  size?: number;
}): JSX.Element {
  const box = size === undefined ? {} : { width: size, height: size };
  return (
    <svg class={`seal ${tone}`} viewBox="-50 -50 100 100" aria-hidden="true" {...box}>
      {sealLines(sha256, size !== undefined).map(([path, width]) => (
        <path key={path} d={path} stroke-width={width} />
      ))}
    </svg>
  );
}
