import { useRef, useState, useEffect } from "preact/hooks";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { later } from "../../lib/lazy-load.ts";
import type { Looked } from "./inspection.ts";
import type { Given } from "../files.tsx";

const nothing: Looked = { all: [], vouched: new Map() };

// The decoding code is larger than a view, and is not needed until something is dropped here.
const looking = later(() => import("./inspection.ts"));

/**
 * What was found in what was given, again whenever that or what is known changes. `failed`: the
 * code that looks did not arrive.
 */
export function useLooked(
  given: readonly Given[],
  known: readonly CertificateView[],
): { readonly looked: Looked; readonly failed: boolean } {
  const [looked, setLooked] = useState(nothing);
  const [failed, fail] = useState(false);
  const turn = useRef(0);
  useEffect(() => {
    const own = ++turn.current;
    if (given.length === 0) return setLooked(nothing);
    const look = async (): Promise<void> => {
      const { lookAt } = await looking();
      const found = await lookAt(given, known);
      if (own === turn.current) setLooked(found);
    };
    void look().catch(() => fail(true));
  }, [given, known]);
  return { looked, failed };
}
