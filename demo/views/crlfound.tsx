import type { ComponentChildren, JSX } from "preact";
import type { CrlView } from "../crlview.ts";
import { crlHeadline } from "../headline.ts";
import { CrlEntries } from "../parts/crl.tsx";
import { Card, Facts } from "../parts/page.tsx";
import { numeral } from "../parts/pager.tsx";
import { Remarks } from "../parts/remarks.tsx";
import type { Vouched } from "../vouchnode.ts";
import { distance, instant, size } from "../words.ts";

const CrlEnd = ({
  view,
  vouched,
}: {
  view: CrlView;
  vouched: Vouched | undefined;
}): JSX.Element => (
  <>
    <Remarks of={crlHeadline(view.nextUpdate, new Date(), vouched)} />
    <span class="small muted">{size(view.der.length)}</span>
  </>
);

/** A list that somebody gave. */
export function CrlFound({
  view,
  vouched,
  children,
}: {
  view: CrlView;
  vouched: Vouched | undefined;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <Card title={`CRL of ${view.issuer}`} end={<CrlEnd view={view} vouched={vouched} />}>
      <Facts
        rows={[
          ["Number", view.number],
          ["Signed", instant(view.thisUpdate)],
          [
            "Next update",
            view.nextUpdate
              ? `${instant(view.nextUpdate)}, ${distance(view.nextUpdate, new Date())}`
              : "Not said",
          ],
          ["Signature", view.signature],
          vouched && ["Verified", vouched.why],
          ["Entries", numeral(view.entries.count)],
        ]}
      />
      <CrlEntries view={view} />
      {children}
    </Card>
  );
}
