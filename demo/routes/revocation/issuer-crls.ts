import { authorities, crlOf } from "../../api/issuer-tree.ts";
import type { Authority } from "../../api/issuer.ts";
import type { CrlView } from "../../lib/x509/crl-view.ts";
import { shardKinds, type ListKind } from "../../lib/crl-kinds.ts";
import * as pki from "../../api/pki.ts";

/** A revocation list of an authority. */
export interface IssuerCrl {
  readonly one: Authority;
  readonly kind: ListKind;
  readonly crl: CrlView | undefined;
}

/** The lists of a mount, but for those of shards. */
export interface MountCrls {
  readonly all: readonly IssuerCrl[];
  /** The number of shards for new certificates; 0 for none. */
  readonly shards: number;
  readonly deltas: boolean;
}

/** One list of an authority, if there is one. */
export async function readList(one: Authority, kind: ListKind): Promise<IssuerCrl> {
  return { one, kind, crl: await crlOf(one.record.issuer_id, kind) };
}

/** The lists of every authority: the complete one, also where there is none, and its delta. */
export async function mountCrls(): Promise<MountCrls> {
  const [all, { enable_delta: deltas = false, shards = 0 }] = await Promise.all([
    authorities(),
    // Whoever may read lists may not read how they are made.
    pki.crlConfig().catch((): Partial<pki.CrlConfig> => ({})),
  ]);
  const each = all.map(async (one): Promise<readonly IssuerCrl[]> => {
    const [whole, delta] = await Promise.all([
      readList(one, ""),
      deltas ? readList(one, "delta") : undefined,
    ]);
    return [whole, ...(delta?.crl ? [delta] : [])];
  });
  return { all: (await Promise.all(each)).flat(), shards, deltas };
}

/** So many lists are read at a time. */
const atOnce = 8;

/** The lists of an authority's shards, each with its delta behind it where there is one. */
export async function shardLists(
  one: Authority,
  { shards, deltas }: Pick<MountCrls, "shards" | "deltas">,
): Promise<readonly IssuerCrl[]> {
  const kinds = shardKinds(shards).flatMap((kind) => (deltas ? [kind, `${kind}-delta`] : [kind]));
  const read: IssuerCrl[] = [];
  for (let from = 0; from < kinds.length; from += atOnce)
    read.push(
      ...(await Promise.all(kinds.slice(from, from + atOnce).map((kind) => readList(one, kind)))),
    );
  return read.filter(({ crl }) => crl !== undefined);
}
