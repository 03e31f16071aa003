import * as pki from "./pki.ts";
import { readCertificate, readCrl, type CertificateView, type CrlView } from "./decode.ts";

/** An issuer of the mount with its certificate decoded and its place in the tree. */
export interface Authority {
  readonly record: pki.IssuerRecord;
  readonly view: CertificateView;
  /** Its common name; the name that the API knows it by is in `record`. */
  readonly name: string;
  readonly isDefault: boolean;
  /** 0 for a root or an authority whose issuer is not in this mount. */
  readonly depth: number;
  readonly parent: string | undefined;
}

/**
 * Whether an authority signs now: with a key here, for that use, and neither revoked nor at its
 * end.
 */
export const signs = ({ record, view }: Authority): boolean =>
  record.key_id !== "" &&
  !record.revoked &&
  record.usage.includes("issuing-certificates") &&
  view.ends > new Date();

/**
 * Whether an authority is a root that was revoked and is not the default: it asks for nothing more.
 */
export const retired = ({ record, view, isDefault }: Authority): boolean =>
  record.revoked && view.selfIssued && !isDefault;

/** Every issuer of the mount, parents before children. */
export async function authorities(): Promise<readonly Authority[]> {
  const records = await pki.issuers();
  if (records.length === 0) return [];
  const [standard, views] = await Promise.all([
    pki.defaultIssuer(),
    Promise.all(records.map((record) => readCertificate(record.certificate))),
  ]);
  const all = records.map((record, i) => ({ record, view: views[i] as CertificateView }));
  // A cross-signed key has several certificates; the root, else the oldest, is the one to stand
  // under.
  const candidates = all.toSorted(
    (a, b) =>
      Number(b.view.selfIssued) - Number(a.view.selfIssued) ||
      a.view.begins.getTime() - b.view.begins.getTime(),
  );
  const parentOf = ({ view }: { view: CertificateView }): string | undefined =>
    view.selfIssued
      ? undefined
      : candidates.find(
          (other) =>
            other.view.subjectKeyId !== "" &&
            other.view.subjectKeyId === view.authorityKeyId &&
            other.view.subject === view.issuer,
        )?.record.issuer_id;
  const ordered: Authority[] = [];
  const place = (parent: string | undefined, depth: number): void => {
    const children = all.filter(
      (one) => parentOf(one) === parent && !ordered.some((done) => done.record === one.record),
    );
    for (const { record, view } of children.sort(
      (a, b) =>
        a.view.begins.getTime() - b.view.begins.getTime() ||
        a.view.title.localeCompare(b.view.title),
    )) {
      ordered.push({
        record,
        view,
        name: view.title,
        isDefault: record.issuer_id === standard,
        depth,
        parent,
      });
      // Authorities can sign each other in a circle; a chain deeper than this is not drawn deeper.
      if (depth < 8) place(record.issuer_id, depth + 1);
    }
  };
  place(undefined, 0);
  // What signs itself in a circle hangs under no root.
  const left = all.filter(({ record }) => !ordered.some((done) => done.record === record));
  const loose = left.map(({ record, view }) => ({
    record,
    view,
    name: view.title,
    isDefault: record.issuer_id === standard,
    depth: 0,
    parent: undefined,
  }));
  return [...ordered, ...loose];
}

/** The current revocation list of an issuer, if it has one. */
export async function crlOf(id: string): Promise<CrlView | undefined> {
  const der = await pki.crl(id);
  return der && readCrl(der);
}
