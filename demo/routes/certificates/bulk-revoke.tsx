import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call, readData } from "../../api/call.ts";
import { revokeFound } from "../../api/endpoints/pki.ts";
import { eachCall, type BulkQuery, type BulkSum } from "./bulk-calls.ts";
import { titlesOf } from "../../api/entry-names.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Choice } from "../../ui/field.tsx";
import { Confirm } from "../../ui/form.tsx";
import { Facts, Ready } from "../../ui/page.tsx";
import { numeral } from "../../ui/pager.tsx";
import { notify } from "../../ui/notify.tsx";
import { readableCrlConfig } from "../../api/crls.ts";
import { announceChange } from "../../lib/changes.ts";
import { useLoad } from "../../lib/use-load.ts";
import { reasonChoices, revocationText, type Reason } from "../../lib/revocation-reasons.ts";

/** Performs a dry run of a bulk revocation and returns the combined result. */
const dryRun = (query: BulkQuery): Promise<BulkSum> =>
  eachCall((cursor) =>
    readData(revokeFound, { ...query, dry_run: true, cursor: cursor || undefined }),
  );

interface Props {
  query: BulkQuery;
  /** Names and values of the filters in words. */
  filters: readonly (readonly [name: string, value: string])[];
  close: () => void;
}

/** The dialog that counts the matches and revokes them after the user has typed their number. */
export function BulkRevoke(props: Props): JSX.Element {
  const { query, close } = props;
  const counted = useLoad(() => dryRun(query), []);
  if (counted.value && counted.value.revoked > 0)
    return <RevokeDialog {...props} sum={counted.value} />;
  return (
    <Dialog title="Revoke all matches?" close={close} writes>
      <Ready from={counted}>
        {() => (
          <p>
            None of these certificates can be revoked: each is revoked, has expired, or belongs to a
            CA or an OCSP responder.
          </p>
        )}
      </Ready>
      <p role="status">{counted.busy && "Counting matches"}</p>
      <div class="actions">
        <Button press={close}>Close</Button>
      </div>
    </Dialog>
  );
}

/** Formats a number of certificates. */
const many = (count: number): string =>
  `${numeral(count)} ${count === 1 ? "certificate" : "certificates"}`;

function RevokeDialog({ query, filters, close, sum }: Props & { sum: BulkSum }): JSX.Element {
  const [reason, setReason] = useState<Reason>("");
  const [done, setDone] = useState(0);
  const revoke = async (): Promise<void> => {
    const warnings: string[] = [];
    const lists = readableCrlConfig();
    const { revoked } = await eachCall(async (cursor) => {
      const answer = await call(revokeFound, {
        ...query,
        reason: reason || undefined,
        cursor: cursor || undefined,
      });
      // Omit warnings that there are more matches, because the next call processes those.
      warnings.push(...answer.warnings.filter((text) => !text.includes("with the cursor")));
      return answer.data;
    }, setDone);
    const known = await lists;
    announceChange();
    close();
    notify(revocationText(`${many(revoked)} revoked`, known), warnings);
  };
  return (
    <Confirm
      title={`Revoke ${many(sum.revoked)}?`}
      close={close}
      name={String(sum.revoked)}
      action="Revoke"
      look={<Button press={() => (close(), announceChange())}>Go to the list</Button>}
      work={revoke}
    >
      <Facts
        rows={[
          ...filters,
          ["To be revoked", <b>{numeral(sum.revoked)}</b>],
          ["Including", <First serials={sum.keys} all={sum.revoked} />],
          sum.issuers > 0 && ["CA certificates, skipped", numeral(sum.issuers)],
          sum.expired > 0 && ["Expired, skipped", numeral(sum.expired)],
        ]}
      />
      <p>
        This cannot be undone. Certificates that match these filters and are issued in the meantime
        will be revoked too.
      </p>
      <Choice label="Reason" value={reason} change={setReason} options={reasonChoices} />
      <p class="small muted" role="status">
        {done > 0 && `${numeral(done)} revoked so far`}
      </p>
    </Confirm>
  );
}

const maxNamed = 5;

/** The names of the first few matches, so that users notice if a filter is wrong. */
function First({ serials, all }: { serials: readonly string[]; all: number }): JSX.Element {
  const some = serials.slice(0, maxNamed);
  const titles = useLoad(() => titlesOf(some), []);
  const names = [...(titles.value?.values() ?? [])];
  const more = all - names.length;
  return (
    <>
      {names.join(", ") || some.join(", ")}
      {names.length > 0 && more > 0 && ` and ${numeral(more)} more`}
    </>
  );
}
