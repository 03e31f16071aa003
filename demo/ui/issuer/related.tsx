import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { Note } from "../page.tsx";
import { address } from "../../lib/route.ts";
import {
  filtersOf,
  searchPage,
  type InventoryRow,
  type Issuers,
} from "../../api/inventory-search.ts";
import { useLoad } from "../../lib/use-load.ts";
import { isRenewalOf } from "../../lib/successors.ts";
import { date } from "../../lib/time-text.ts";

/** The certificates with the same names and role as a certificate. */
export interface RelatedCertificates {
  /** The latest certificate that renews this one. */
  readonly next: InventoryRow | undefined;
  /** The certificate that this one renews. */
  readonly last: InventoryRow | undefined;
}
const nobody: RelatedCertificates = { next: undefined, last: undefined };

/** Returns the name of a certificate to search for. */
function searchName({ names, commonName }: CertificateView): string {
  const nameOfKind = (kind: string): string | undefined =>
    names.find((name) => name.kind === kind)?.value;
  return (
    nameOfKind("DNS") ?? nameOfKind("email") ?? nameOfKind("IP") ?? nameOfKind("URI") ?? commonName
  );
}

async function find(view: CertificateView, issuers: Issuers): Promise<RelatedCertificates> {
  const name = searchName(view);
  if (name === "") return nobody;
  const filters = filtersOf(new URLSearchParams({ q: name }));
  const { rows } = await searchPage(filters, "", { issuers, now: new Date() });
  const own = rows.find(({ serial }) => serial === view.serial);
  if (!own) return nobody;
  const latest = (some: readonly InventoryRow[]): InventoryRow | undefined =>
    some.toSorted((a, b) => b.begins.getTime() - a.begins.getTime())[0];
  return {
    next: latest(rows.filter((row) => isRenewalOf(row, own))),
    last: latest(rows.filter((row) => isRenewalOf(own, row))),
  };
}

const link = ({ serial, begins, ends }: InventoryRow): JSX.Element => (
  <a href={address("certificates", serial)}>
    the certificate {serial.slice(0, 8)}…, issued {date(begins)}, which expires {date(ends)}
  </a>
);

/** Links to the previous and the next certificate with the same names and role. */
export function Related({
  view,
  issuers,
  turn,
  found,
}: {
  view: CertificateView;
  /** The issuers of the mount. */
  issuers: Issuers;
  turn: number;
  /** Receives the result of the search. */
  found: (related: RelatedCertificates) => void;
}): JSX.Element {
  // Ignore errors: a token that can read a certificate might not be allowed to search.
  const result = useLoad(() => find(view, issuers).catch(() => nobody), [view.sha256, turn]);
  const { next, last } = result.value ?? nobody;
  useEffect(() => found(result.value ?? nobody), [result.value]);
  return (
    <>
      {next && <Note>Renewed by {link(next)}: same names, same role.</Note>}
      {last && <Note>Renews {link(last)}.</Note>}
    </>
  );
}
