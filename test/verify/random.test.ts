import { describe, expect, it } from "vitest";
import { verify } from "../../src/verify/index.ts";
import { seeded } from "../support/authority.ts";
import { print } from "../support/output.ts";
import { at, crlOf, issue, ocspOf, usualChain } from "./hierarchy.ts";

const { root, intermediate, leaf } = await usualChain();
const cross = await issue("Intermediate", undefined, { ca: true, key: intermediate.key });
const parts = [
  leaf.der,
  root.der,
  intermediate.der,
  cross.der,
  await crlOf(root, []),
  await crlOf(intermediate, [5]),
  await ocspOf(leaf, intermediate, "good", { certificates: [leaf.der] }),
];

/** Changes bytes, or the length, of some of the parts. */
function mutate(seed: number): readonly Uint8Array[] {
  const random = seeded(seed);
  const below = (count: number): number => {
    const [a = 0, b = 0] = random(2);
    return (a * 256 + b) % count;
  };
  const mutated = new Set(Array.from({ length: 1 + below(3) }, () => below(parts.length)));
  return parts.map((part, i) => {
    if (!mutated.has(i)) return part;
    const bytes = [...part];
    for (let n = 0; n <= below(4); n++) {
      const place = below(bytes.length);
      const kind = below(5);
      if (kind === 0) bytes.splice(place, 1);
      else if (kind === 1) bytes.splice(place, 0, below(256));
      else if (kind === 2) bytes.splice(place, bytes.length);
      else bytes[place] = kind === 3 ? below(256) : (bytes[place] ?? 0) ^ (1 << below(8));
    }
    return Uint8Array.from(bytes.length > 0 ? bytes : [0]);
  });
}

describe("mutated chains, CRLs and OCSP responses", () => {
  const fresh = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  it.each([
    ["200 seeds", 1, 200],
    ["50 new seeds", fresh, 50],
  ])(
    "of %s verify or have reasons, and only the original certificate verifies",
    async (_, from, count) => {
      if (from === fresh) print(`seed ${fresh}`);
      let verified = 0;
      for (let seed = from; seed < from + count; seed++) {
        const [certificate = root.der, anchor = root.der, a = root.der, b = root.der, ...evidence] =
          mutate(seed);
        const [first = root.der, second = root.der, response = root.der] = evidence;
        // an anchor is trusted as it is, even if mutated
        const anchors = [anchor, root.der];
        const result = await verify(certificate, {
          anchors,
          intermediates: [a, b],
          crls: [first, second],
          ocsp: response,
          revocation: "available",
          at,
        }).catch((error: unknown) => {
          throw new Error(`seed ${seed}`, { cause: error });
        });
        expect(result.ok, `seed ${seed}`).toBe(result.reasons.length === 0);
        if (!result.ok) continue;
        verified++;
        expect(Buffer.compare(certificate, leaf.der), `seed ${seed}`).toBe(0);
      }
      if (count === 200) expect(verified).toBeGreaterThan(50);
    },
  );
});
