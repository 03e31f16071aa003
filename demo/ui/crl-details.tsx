import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CrlEntry } from "../lib/x509/crl-entries.ts";
import type { CrlView } from "../lib/x509/crl-view.ts";
import { address } from "../lib/route.ts";
import { useLoad, type Loaded } from "../lib/use-load.ts";
import { reasonWords } from "../lib/revocation-reasons.ts";
import { bareHex } from "../lib/hex-text.ts";
import { Digits } from "./digits.tsx";
import { Filter } from "./field.tsx";
import { Failure } from "./page.tsx";
import { Pager, pageSize } from "./pager.tsx";
import { Columns } from "./table.tsx";
import { Moment } from "./life-state.tsx";

/** A function that returns titles of certificates by serial number. */
type Titles = (serials: readonly string[]) => Promise<ReadonlyMap<string, string>>;

interface Props {
  view: CrlView;
  /** Absent if the titles of certificates cannot be found. */
  titles?: Titles;
  /** Whether to show how many titles were found, because the user requested them. */
  counted?: boolean;
}

const nobody: Titles = async () => new Map();

/** The entries of a CRL in pages, the last entries first, with a search by serial number. */
export function CrlEntries({
  view: { entries },
  titles = nobody,
  counted = false,
}: Props): JSX.Element {
  const [searchText, seek] = useState("");
  const [first, go] = useState(0);
  if (entries.count === 0) return <p class="pad muted">This CRL has no entries.</p>;
  const digits = bareHex(searchText.trim());
  const indexes = /^[0-9a-f]*$/.test(digits) ? entries.beginning(digits) : [];
  const shown = entries.at(indexes.slice(first, first + pageSize));
  const change = (text: string): void => {
    seek(text);
    go(0);
  };
  return (
    <>
      {entries.count > pageSize && (
        <search class="filters">
          <Filter label="Serial number in this CRL" value={searchText} change={change} />
        </search>
      )}
      <Rows of={shown} titles={titles} counted={counted} />
      {entries.count > pageSize && (
        <footer>
          <Pager first={first} shown={shown.length} count={indexes.length} what="entries" go={go} />
        </footer>
      )}
    </>
  );
}

interface RowsProps {
  of: readonly CrlEntry[];
  titles: Titles;
  counted: boolean;
}

function Rows({ of, titles, counted }: RowsProps): JSX.Element {
  const serials = of.map(({ serial }) => serial);
  const names = useLoad(() => titles(serials), [serials.join(), titles]);
  return (
    <>
      {counted && <Count of={names} clicks={serials.length} />}
      <table class="table cards" aria-label="Revoked certificates">
        <Columns of={["Certificate", "Revoked", "Reason"]} />
        <tbody>
          {of.map(({ serial, time, reason }) => (
            <tr key={serial}>
              <td class="full">
                <Named serial={serial} title={names.value?.get(serial)} />
              </td>
              <td class="nowrap">
                <Moment at={time} />
              </td>
              <td>{reasonWords(reason) || <span class="quiet">none given</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** States how many of the shown entries have certificates in this mount, or why that is unknown. */
const Count = ({
  of: { value, busy, error, again },
  clicks,
}: {
  of: Loaded<ReadonlyMap<string, string>>;
  clicks: number;
}): JSX.Element => (
  <div class="pad">
    {error && <Failure error={error} again={again} />}
    <p class="small muted" role="status">
      {busy && "Querying the server"}
      {!busy && value && `${value.size} of the ${clicks} shown here are certificates in this mount`}
    </p>
  </div>
);

/** A link to a stored certificate, or the serial number of a certificate that is not stored. */
function Named({ serial, title }: { serial: string; title: string | undefined }): JSX.Element {
  const digits = (
    <span class="mono break">
      <Digits of={serial} />
    </span>
  );
  if (title === undefined) return digits;
  return (
    <>
      <a href={address("certificates", serial)}>{title}</a>
      <span class="sub">{digits}</span>
    </>
  );
}
