import { authorities } from "./authorities.ts";
import type { Authority } from "./authority.ts";
import { readCrl, type CrlView } from "./crlview.ts";
import * as pki from "./pki.ts";

/** A revocation list of an authority. */
export interface Listed {
  readonly one: Authority;
  /** What kind of list it is, as the address names it: empty for the complete one. */
  readonly kind: "" | "delta";
  readonly crl: CrlView | undefined;
}

async function read(der: Promise<Uint8Array | undefined>): Promise<CrlView | undefined> {
  const found = await der;
  return found && readCrl(found);
}

/** The lists of every authority: the complete one, also where there is none, and its delta. */
export async function lists(): Promise<readonly Listed[]> {
  const [all, { enable_delta: deltas = false }] = await Promise.all([
    authorities(),
    // Whoever may read lists may not read how they are made.
    pki.crlConfig().catch((): Partial<pki.CrlConfig> => ({})),
  ]);
  const each = all.map(async (one): Promise<readonly Listed[]> => {
    const id = one.record.issuer_id;
    const [crl, delta] = await Promise.all([
      read(pki.crl(id)),
      deltas ? read(pki.deltaCrl(id)) : undefined,
    ]);
    return [
      { one, kind: "", crl },
      ...(delta ? [{ one, kind: "delta", crl: delta } as const] : []),
    ];
  });
  return (await Promise.all(each)).flat();
}
