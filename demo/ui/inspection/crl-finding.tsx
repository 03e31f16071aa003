import type { ComponentChildren, JSX } from "preact";
import { useCallback, useState } from "preact/hooks";
import type { CrlView } from "../../lib/x509/crl-view.ts";
import { titlesFrom } from "../../api/entry-names.ts";
import { crlHeadline } from "../../lib/inspection/headline.ts";
import { Button } from "../button.tsx";
import { CrlEntries } from "../crl-details.tsx";
import { Card, Facts } from "../page.tsx";
import { numeral } from "../pager.tsx";
import { Remarks } from "../remarks.tsx";
import { place, placeName, signedOut } from "../../lib/place.ts";
import { useStore } from "../../lib/store.ts";
import type { Verification } from "../../lib/inspection/verify-node.ts";
import { distance, instant } from "../../lib/time-text.ts";
import { sizeText } from "../../lib/size-text.ts";
import { Moment } from "../life-state.tsx";

const CrlEnd = ({
  view,
  verification,
}: {
  view: CrlView;
  verification: Verification | undefined;
}): JSX.Element => (
  <>
    <Remarks of={crlHeadline(view.nextUpdate, new Date(), verification)} />
    <span class="small muted">{sizeText(view.der.length)}</span>
  </>
);

/**
 * The entries of a CRL. Requests the titles of certificates from the server only if the user clicks
 * a button.
 */
function Entries({ view }: { view: CrlView }): JSX.Element {
  const where = useStore(place, (value) => value);
  const [turn, request] = useState(0);
  // Create a new function for each click, so that the titles of the shown page are requested again.
  const titles = useCallback(
    (serials: readonly string[]) => titlesFrom(view.issuer, serials),
    [view, turn],
  );
  if (view.entries.count === 0 || signedOut(where)) return <CrlEntries view={view} />;
  return (
    <>
      <div class="pad stack close">
        <div>
          <Button tiny press={() => request(turn + 1)}>
            Find these certificates
          </Button>
        </div>
        <p class="small muted">
          Searches {placeName(where)}, mount <code>{where.mount}</code>, for these serial numbers.
          Nothing is sent until you click the button.
        </p>
      </div>
      <CrlEntries view={view} {...(turn > 0 && { titles, counted: true })} />
    </>
  );
}

/** A CRL that the user pasted or chose. */
export function CrlFinding({
  view,
  verification,
  children,
}: {
  view: CrlView;
  verification: Verification | undefined;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <Card title={`CRL of ${view.issuer}`} end={<CrlEnd view={view} verification={verification} />}>
      <Facts
        rows={[
          ["Number", view.number],
          ["Signed", <Moment at={view.thisUpdate} />],
          [
            "Next update",
            view.nextUpdate
              ? `${instant(view.nextUpdate)}, ${distance(view.nextUpdate, new Date())}`
              : "Not set",
          ],
          ["Signature", view.signature],
          verification && ["Verified", verification.why],
          ["Entries", numeral(view.entries.count)],
        ]}
      />
      <Entries view={view} />
      {children}
    </Card>
  );
}
