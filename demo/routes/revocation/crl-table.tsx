import type { JSX } from "preact";
import { kindLabel } from "../../lib/crl-kinds.ts";
import type { CrlSummary } from "../../api/issuer-tree.ts";
import type { IssuerCrl } from "./issuer-crls.ts";
import { Badge } from "../../ui/icon.tsx";
import { numeral } from "../../ui/pager.tsx";
import { Columns, OpenRow } from "../../ui/table.tsx";
import { address } from "../../lib/route.ts";
import { date, distance } from "../../lib/time-text.ts";
import { sizeText } from "../../lib/size-text.ts";

/** Returns the title of a CRL: its issuer's name and its kind. */
export const titleOf = ({ one, kind }: Pick<IssuerCrl, "one" | "kind">): string =>
  one.name + kindLabel(kind);

/** Returns the URL of a CRL's view. */
const crlAddress = ({ one, kind }: IssuerCrl): string =>
  address("revocation", one.record.issuer_id, { list: kind });

/** The table of CRLs, with the state and the next update of each. */
export function CrlTable({
  all,
  label,
  sharded,
}: {
  all: readonly IssuerCrl[];
  label: string;
  /**
   * Whether the mount uses shards, so that an issuer without an unsharded CRL may have shard CRLs.
   */
  sharded: boolean;
}): JSX.Element {
  const now = new Date();
  return (
    <table class="table cards" aria-label={label}>
      <Columns
        of={[
          "CRL",
          ["Entries", "right"],
          ["Number", "mid-only right"],
          ["Size", "mid-only right"],
          ["Signed", "mid-only"],
          "Next update",
          "State",
        ]}
      />
      <tbody>
        {all.map((one) =>
          one.crl ? (
            <CrlRow key={crlAddress(one)} of={one} crl={one.crl} now={now} />
          ) : (
            <NoCrlRow key={crlAddress(one)} of={one} sharded={sharded} />
          ),
        )}
      </tbody>
    </table>
  );
}

function NoCrlRow({ of, sharded }: { of: IssuerCrl; sharded: boolean }): JSX.Element {
  return (
    <OpenRow to={sharded ? crlAddress(of) : undefined}>
      <td>{sharded ? <a href={crlAddress(of)}>{titleOf(of)}</a> : titleOf(of)}</td>
      <td class="right">–</td>
      <td class="mid-only right">–</td>
      <td class="mid-only right">–</td>
      <td class="mid-only">–</td>
      <td class="mid-only">–</td>
      <td>
        <Badge>{sharded ? "In shards" : "No CRL"}</Badge>
      </td>
    </OpenRow>
  );
}

function CrlRow({ of, crl, now }: { of: IssuerCrl; crl: CrlSummary; now: Date }): JSX.Element {
  const fresh = crl.nextUpdate !== undefined && crl.nextUpdate > now;
  return (
    <OpenRow to={crlAddress(of)}>
      <td>
        <a href={crlAddress(of)}>{titleOf(of)}</a>
      </td>
      <td class="right num">
        {numeral(crl.entries)}
        <span class="phone-text"> {crl.entries === 1 ? "entry" : "entries"}</span>
      </td>
      <td class="mid-only right num">{crl.number}</td>
      <td class="mid-only right nowrap">{sizeText(crl.size)}</td>
      <td class="mid-only">{distance(crl.thisUpdate, now)}</td>
      <td>
        {crl.nextUpdate ? (
          <>
            <span class="phone-text">next update </span>
            {distance(crl.nextUpdate, now)}
            <span class="sub">{date(crl.nextUpdate)}</span>
          </>
        ) : (
          "–"
        )}
      </td>
      <td>
        <Badge tone={fresh ? "calm" : "danger"} mark={fresh ? "check" : "x"}>
          {fresh ? "Current" : "Expired"}
        </Badge>
      </td>
    </OpenRow>
  );
}
