import { distinctNames } from "../lib/distinct-names.ts";
import { listedIssuers, recordOf, type IssuerRecord } from "./issuers.ts";
import { crl } from "./crls.ts";
import { readCrl, type CrlView } from "../lib/x509/crl-view.ts";
import { readCertificate, type CertificateView } from "../lib/x509/decode.ts";
import type { Authority } from "./issuer.ts";
import { parseCrlKind, type CrlKind } from "../lib/crl-kinds.ts";

interface DecodedIssuer {
  readonly record: IssuerRecord;
  readonly isBelowRevoked: boolean;
  readonly view: CertificateView;
}

/** Returns all issuers of the mount, parents before children. */
export async function authorities(): Promise<readonly Authority[]> {
  const { keys, info } = await listedIssuers();
  const all = await Promise.all(
    keys.map(async (id) => {
      const record = await recordOf(id, info[id]);
      return {
        record,
        view: await readCertificate(record.certificate),
        isBelowRevoked: info[id]?.issuer_revoked === true,
      };
    }),
  );
  return treeOf(all, keys.find((id) => info[id]?.is_default) ?? "");
}

const byBeginning = (a: DecodedIssuer, b: DecodedIssuer): number =>
  a.view.begins.getTime() - b.view.begins.getTime() || a.view.title.localeCompare(b.view.title);

/** Returns a function that finds the ID of an issuer's parent. */
function parentsAmong(all: readonly DecodedIssuer[]): (one: DecodedIssuer) => string | undefined {
  // A cross-signed key has several certificates. Show children below the root with that key, or
  // else below the oldest certificate.
  const candidates = all.toSorted(
    (a, b) => Number(b.view.selfIssued) - Number(a.view.selfIssued) || byBeginning(a, b),
  );
  return ({ view }) =>
    view.selfIssued
      ? undefined
      : candidates.find(
          (other) =>
            other.view.subjectKeyId !== "" &&
            other.view.subjectKeyId === view.authorityKeyId &&
            other.view.subject === view.issuer,
        )?.record.issuer_id;
}

function treeOf(all: readonly DecodedIssuer[], standard: string): readonly Authority[] {
  const parentOf = parentsAmong(all);
  const names = distinctNames(
    all.map(({ record, view }) => [record.issuer_id, record.issuer_name, view.title]),
  );
  const ordered = new Map<DecodedIssuer, Authority>();
  const add = (one: DecodedIssuer, depth: number, parent: string | undefined): void => {
    const { record, view, isBelowRevoked } = one;
    const name = names.get(record.issuer_id) ?? view.title;
    const isDefault = record.issuer_id === standard;
    ordered.set(one, { record, view, name, isDefault, depth, parent, isBelowRevoked });
  };
  const place = (parent: string | undefined, depth: number): void => {
    const children = all.filter((one) => parentOf(one) === parent && !ordered.has(one));
    for (const one of children.sort(byBeginning)) {
      add(one, depth, parent);
      // CAs can sign each other in a cycle, so limit the depth.
      if (depth < 8) place(one.record.issuer_id, depth + 1);
    }
  };
  place(undefined, 0);
  // Add CAs that are below no root, because they signed each other in a cycle.
  for (const one of all) if (!ordered.has(one)) add(one, 0, undefined);
  return [...ordered.values()];
}

/** The properties of a CRL that lists show. */
export interface CrlSummary {
  readonly number: string;
  readonly entries: number;
  /** Size in bytes. */
  readonly size: number;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date | undefined;
}

/** Returns the properties of a CRL that lists show. */
export const summaryOf = ({ entries, der, ...crl }: CrlView): CrlSummary => ({
  ...crl,
  entries: entries.count,
  size: der.length,
});

/**
 * Returns the properties of an issuer's complete or delta CRL, or undefined if there is none. Reads
 * the CRL if it has expired, because the server may renew it then, and on older servers,
 * which do not list CRLs.
 */
export async function listedCrl(
  { record: { issuer_id: id, crls } }: Authority,
  kind: "" | "delta",
): Promise<CrlSummary | undefined> {
  const listed = crls?.find(({ delta }) => delta === (kind === "delta"));
  if (crls && !listed) return undefined;
  const nextUpdate = new Date((listed?.next_update ?? 0) * 1000);
  if (!listed || nextUpdate <= new Date()) {
    const crl = await crlOf(id, kind);
    return crl && summaryOf(crl);
  }
  const { entries, size, number } = listed;
  const thisUpdate = new Date(listed.this_update * 1000);
  return { entries, size, number: String(number), thisUpdate, nextUpdate };
}

/** Returns the current CRL of an issuer, or undefined if it has none of this kind. */
export async function crlOf(id: string, kind: CrlKind = ""): Promise<CrlView | undefined> {
  const parts = parseCrlKind(kind);
  const der = parts && (await crl(id, parts));
  return der && readCrl(der);
}
