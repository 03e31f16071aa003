import {
  authorities,
  crlOf,
  listedCrl,
  summaryOf,
  type CrlSummary,
} from "../../api/issuer-tree.ts";
import type { Authority } from "../../api/issuer.ts";
import { shardKinds, type CrlKind } from "../../lib/crl-kinds.ts";
import { crlConfig } from "../../api/crls.ts";
import type { CrlConfig } from "../../lib/crl-config.ts";

/** An issuer's CRL of one kind. `crl` is undefined if the issuer has no such CRL. */
export interface IssuerCrl {
  readonly one: Authority;
  readonly kind: CrlKind;
  readonly crl: CrlSummary | undefined;
}

/** The CRLs of a mount, without the CRLs of shards. */
export interface MountCrls {
  readonly all: readonly IssuerCrl[];
  /** Number of shards for new certificates; 0 without shards. */
  readonly shards: number;
  readonly deltas: boolean;
}

/**
 * Returns the complete CRL and the delta CRL of every issuer. The result includes an entry for each
 * issuer without a CRL.
 */
export async function mountCrls(): Promise<MountCrls> {
  const [all, { enable_delta: deltas = false, shards = 0 }] = await Promise.all([
    authorities(),
    // A token that can read CRLs might not be allowed to read the configuration.
    crlConfig().catch((): Partial<CrlConfig> => ({})),
  ]);
  const each = all.map(async (one): Promise<readonly IssuerCrl[]> => {
    const [whole, delta] = await Promise.all([
      listedCrl(one, ""),
      deltas ? listedCrl(one, "delta") : undefined,
    ]);
    return [{ one, kind: "", crl: whole }, ...(delta ? [{ one, kind: "delta", crl: delta }] : [])];
  });
  return { all: (await Promise.all(each)).flat(), shards, deltas };
}

/** Maximum number of CRLs to read concurrently. */
const concurrency = 8;

/** Reads the CRLs of an issuer's shards, each followed by its delta CRL if there is one. */
export async function shardCrls(
  one: Authority,
  { shards, deltas }: Pick<MountCrls, "shards" | "deltas">,
): Promise<readonly IssuerCrl[]> {
  const kinds = shardKinds(shards).flatMap((kind) => (deltas ? [kind, `${kind}-delta`] : [kind]));
  const read: IssuerCrl[] = [];
  for (let from = 0; from < kinds.length; from += concurrency) {
    const some = kinds.slice(from, from + concurrency).map(async (kind) => {
      const crl = await crlOf(one.record.issuer_id, kind);
      return { one, kind, crl: crl && summaryOf(crl) };
    });
    read.push(...(await Promise.all(some)));
  }
  return read.filter(({ crl }) => crl !== undefined);
}
