/** The seed of the generated requests; the environment variable `SEED` replaces it. */
export const seed = Number(process.env["SEED"] ?? 20261121);

/** Returns a generator of uniform integers from 0 to `below` - 1, determined by a seed (mulberry32). */
function integers(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const names = [
  "dev.test",
  "www.dev.test",
  "*.dev.test",
  "a*.dev.test",
  "*.*.dev.test",
  "localhost",
  "www.other.example",
  "bob@dev.test",
  "10.0.0.1",
  "192.168.4.4",
  "::1",
  "10.300.0.1",
  "urn:x:y",
  "https://dev.test/x",
  "-a.dev.test",
  "bücher.dev.test",
  "plain",
  "x.secret.test",
  "secret.test",
];
const ttls = ["", "24h", "2160h", "9528h", "200000h", "soon"];
/** Returns a generator of certificate requests that starts with the seed. */
export function generator() {
  const below = integers(seed);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const requests = (
    count: number,
  ): readonly { readonly names: readonly string[]; readonly ttl: string }[] =>
    Array.from({ length: count }, () => ({
      names: Array.from({ length: 1 + below(2) }, () => pick(names)),
      ttl: pick(ttls),
    }));
  return { below, pick, requests };
}
