import type { JSX } from "preact";
import { hasOwnUrls, urlKinds } from "../../api/certificate-urls.ts";
import type { Authority as Issuer } from "../../api/issuer.ts";
import type { IssuerRecord } from "../../api/issuers.ts";
import { visible } from "../../lib/visible-text.ts";
import { address } from "../../lib/route.ts";
import { Card, Facts } from "../../ui/page.tsx";

const usageWords: Readonly<Record<string, string>> = {
  "issuing-certificates": "signs certificates",
  "crl-signing": "signs CRLs",
  "ocsp-signing": "signs OCSP responses",
  "read-only": "",
};

const outliving: Readonly<Record<string, string>> = {
  err: "Rejected",
  truncate: "Shortened to the expiry of this CA",
  permit: "Issued",
  always_enforce_err: "Rejected, including CA certificates",
};

/** Returns the other issuers in this mount that have the same key. */
export const sameKeyIssuers = ({ record }: Issuer, all: readonly Issuer[]): readonly Issuer[] =>
  record.key_id === ""
    ? []
    : all.filter(
        (other) =>
          other.record.key_id === record.key_id && other.record.issuer_id !== record.issuer_id,
      );

/** The card with the names, the key and the settings of a CA. */
export function Use({
  record,
  twins,
}: {
  record: IssuerRecord;
  twins: readonly Issuer[];
}): JSX.Element {
  const uses = record.usage.split(",").map((use) => usageWords[use] ?? use);
  return (
    <Card title="Use">
      <Facts
        rows={[
          ["Name", record.issuer_name || "None"],
          ["Reference", record.issuer_id, true],
          [
            "Key",
            record.key_id ? (
              <a href={address("keys")}>In this mount, encrypted</a>
            ) : (
              "Not stored here, so this CA cannot sign"
            ),
          ],
          twins.length > 0 && ["Same key", <IssuerLinks of={twins} />],
          ["Usage", uses.filter(Boolean).join(", ") || "None"],
          [
            "Certificates that would outlast this CA",
            outliving[record.leaf_not_after_behavior] ?? record.leaf_not_after_behavior,
          ],
          ...ownUrls(record),
        ]}
      />
    </Card>
  );
}

/** Returns rows with the URLs in certificates issued by a CA. */
const ownUrls = (record: IssuerRecord): readonly (readonly [string, string])[] =>
  hasOwnUrls(record)
    ? urlKinds.map(
        ([name, label]) =>
          [`${label} URL set for this CA`, record[name].map(visible).join(", ") || "None"] as const,
      )
    : [["URLs in certificates issued by this CA", "Inherited from the mount"]];

function IssuerLinks({ of }: { of: readonly Issuer[] }): JSX.Element {
  return (
    <>
      {of.map(({ record, view }) => (
        <div key={record.issuer_id}>
          <a href={address("authorities", record.issuer_id)}>
            {record.issuer_name || view.title},{" "}
            {view.selfIssued ? "a root" : `signed by ${view.issuerTitle}`}
          </a>
        </div>
      ))}
    </>
  );
}
