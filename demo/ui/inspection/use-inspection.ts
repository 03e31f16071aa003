import { useRef, useState, useEffect } from "preact/hooks";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { changes } from "../../lib/changes.ts";
import { useStore } from "../../lib/store.ts";
import { lazyLoad } from "../../lib/lazy-load.ts";
import type { Inspection } from "./inspection.ts";
import type { SelectedFile } from "../files.tsx";

const nothing: Inspection = { all: [], verifications: new Map() };

const noPasswords: readonly string[] = [];

// The inspection code is larger than a view, so it is not loaded before there is input.
const looking = lazyLoad(() => import("./inspection.ts"));

/**
 * Inspects files, and inspects them again when the files, the known issuers or the server's data
 * change. `uncompared` states why the issuers are not known; empty if they are. `failed` is true if
 * the inspection code could not be loaded.
 */
export function useInspection(
  files: readonly SelectedFile[],
  certificates: readonly CertificateView[],
  passwords: readonly string[] = noPasswords,
  uncompared = "",
): { readonly inspection: Inspection; readonly failed: boolean } {
  const [inspection, setInspection] = useState(nothing);
  const [failed, fail] = useState(false);
  const turn = useRef(0);
  const change = useStore(changes, (value) => value.change);
  useEffect(() => {
    const own = ++turn.current;
    if (files.length === 0) return setInspection(nothing);
    const inspect = async (): Promise<void> => {
      const { inspectFiles } = await looking();
      const result = await inspectFiles(files, certificates, passwords, uncompared);
      if (own === turn.current) setInspection(result);
    };
    void inspect().catch(() => fail(true));
  }, [files, certificates, passwords, uncompared, change]);
  return { inspection, failed };
}
