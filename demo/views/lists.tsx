import type { JSX } from "preact";
import { useAct } from "../act.ts";
import { crlPem, type CrlView } from "../crlview.ts";
import { titlesOf } from "../entrynames.ts";
import { lists, type Listed } from "../lists.ts";
import { Button } from "../parts/button.tsx";
import { CrlEntries } from "../parts/crl.tsx";
import { Badge } from "../parts/icon.tsx";
import { Card, Empty, Facts, Failure, Ready } from "../parts/page.tsx";
import { numeral } from "../parts/pager.tsx";
import { save } from "../parts/save.ts";
import { Columns, OpenRow } from "../parts/table.tsx";
import * as pki from "../pki.ts";
import { address, route } from "../route.ts";
import { useLoad, useStore } from "../store.ts";
import { date, distance, fileName, instant, size } from "../words.ts";
import { Addresses } from "./addresses.tsx";
import { CrlSettings } from "./crlsettings.tsx";
import { told } from "../parts/told.tsx";

/** The lists of every issuer, one of them open, and how lists are made. */
export function Lists(): JSX.Element {
  const id = useStore(route, (value) => value.id);
  const kind = useStore(route, (value) => value.query.get("list") ?? "");
  const turn = useStore(pki.changes, (value) => value.turn);
  const found = useLoad(lists, [turn]);
  const open = ({ one, kind: own }: Listed): boolean => one.record.issuer_id === id && own === kind;
  return (
    <>
      <Ready from={found}>
        {(all) => {
          const shown = all.find(open);
          return (
            <div class="stack">
              <Card title="CRLs" end={all.length > 0 && <Rebuild />}>
                {all.length === 0 ? (
                  <Empty text="An authority has a list as soon as it exists. This mount has none yet." />
                ) : (
                  <ListTable all={all} />
                )}
              </Card>
              {shown?.crl && <OpenList key={`${id} ${kind}`} of={shown} crl={shown.crl} />}
            </div>
          );
        }}
      </Ready>
      <Addresses />
      <CrlSettings />
    </>
  );
}

/** Signs every list now. */
function Rebuild(): JSX.Element {
  const act = useAct();
  const rotate = async (): Promise<void> => {
    const { warnings } = await pki.rotateCrls();
    pki.changed();
    told("All CRLs rebuilt", warnings);
  };
  return (
    <>
      {act.error && <Failure error={act.error} />}
      <Button tiny busy={act.busy} press={() => act.run(rotate)}>
        Rebuild all CRLs
      </Button>
    </>
  );
}

const titleOf = ({ one, kind }: Listed): string =>
  kind === "delta" ? `${one.name}, delta` : one.name;

const to = ({ one, kind }: Listed): string =>
  address("revocation", one.record.issuer_id, { list: kind });

function ListTable({ all }: { all: readonly Listed[] }): JSX.Element {
  const now = new Date();
  return (
    <table class="table cards" aria-label="CRLs">
      <Columns
        of={[
          "Issuer",
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
            <ListRow key={to(one)} of={one} crl={one.crl} now={now} />
          ) : (
            <tr key={to(one)}>
              <td>{titleOf(one)}</td>
              <td class="right">–</td>
              <td class="mid-only right">–</td>
              <td class="mid-only right">–</td>
              <td class="mid-only">–</td>
              <td class="mid-only">–</td>
              <td>
                <Badge>No list</Badge>
              </td>
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
}

function ListRow({ of, crl, now }: { of: Listed; crl: CrlView; now: Date }): JSX.Element {
  const fresh = crl.nextUpdate !== undefined && crl.nextUpdate > now;
  return (
    <OpenRow to={to(of)}>
      <td>
        <a href={to(of)}>{titleOf(of)}</a>
      </td>
      <td class="right num">
        {numeral(crl.entries.count)}
        <span class="phone-text"> entries</span>
      </td>
      <td class="mid-only right num">{crl.number}</td>
      <td class="mid-only right nowrap">{size(crl.der.length)}</td>
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
          {fresh ? "Fresh" : "Expired"}
        </Badge>
      </td>
    </OpenRow>
  );
}

function OpenList({ of, crl }: { of: Listed; crl: CrlView }): JSX.Element {
  const now = new Date();
  return (
    <Card
      title={`${of.kind === "delta" ? "Delta CRL" : "CRL"} of ${of.one.name}`}
      end={<Downloads of={of} crl={crl} />}
    >
      <Facts
        rows={[
          ["Number", crl.number],
          crl.base !== "" && ["Builds on", `CRL ${crl.base}`],
          ["Signed", `${instant(crl.thisUpdate)}, ${distance(crl.thisUpdate, now)}`],
          [
            "Next update",
            crl.nextUpdate
              ? `${instant(crl.nextUpdate)}, ${distance(crl.nextUpdate, now)}`
              : "Not said",
          ],
          ["Entries", numeral(crl.entries.count)],
          ["Size", size(crl.der.length)],
          ["Signature", crl.signature],
        ]}
      />
      <CrlEntries view={crl} titles={titlesOf} />
    </Card>
  );
}

function Downloads({ of, crl }: { of: Listed; crl: CrlView }): JSX.Element {
  const file = fileName(titleOf(of));
  return (
    <>
      <Button
        tiny
        label="Download the CRL as DER"
        icon="down"
        press={() => save(`${file}.crl`, "application/pkix-crl", crl.der)}
      >
        .crl
      </Button>
      <Button
        tiny
        label="Download the CRL as PEM"
        icon="down"
        press={() => save(`${file}.crl.pem`, "application/x-pem-file", `${crlPem(crl)}\n`)}
      >
        .pem
      </Button>
    </>
  );
}
