import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../act.ts";
import { authorities, crlOf } from "../authorities.ts";
import type { Authority } from "../authority.ts";
import type { CrlView } from "../decode.ts";
import * as pki from "../pki.ts";
import { Button } from "../parts/button.tsx";
import { save } from "../parts/save.ts";
import { CrlEntries } from "../parts/crl.tsx";
import { Check, Text } from "../parts/field.tsx";
import { Badge } from "../parts/icon.tsx";
import { Card, Empty, Facts, Failure, Head, Ready } from "../parts/page.tsx";
import { Columns, OpenRow } from "../parts/table.tsx";
import { told } from "../parts/told.tsx";
import { address, route } from "../route.ts";
import { useLoad, useStore } from "../store.ts";
import { date, distance, fileName, instant, seconds } from "../words.ts";

interface Listed {
  readonly one: Authority;
  readonly crl: CrlView | undefined;
}

/** The lists of every issuer, one of them open, and how lists are made. */
export function Revocation(): JSX.Element {
  const id = useStore(route, (value) => value.id);
  const turn = useStore(pki.changes, (value) => value.turn);
  const lists = useLoad(
    async (): Promise<readonly Listed[]> =>
      Promise.all(
        (await authorities()).map(async (one) => ({ one, crl: await crlOf(one.record.issuer_id) })),
      ),
    [turn],
  );
  const act = useAct();
  const rotate = async (): Promise<void> => {
    const { warnings } = await pki.rotateCrls();
    pki.changed();
    told("All lists signed", warnings);
  };
  const shown = lists.value?.find(({ one }) => one.record.issuer_id === id);
  return (
    <>
      <Head
        title="Revocation"
        about="A CRL lists what an issuer has revoked. Clients trust it until its next update."
        actions={
          <Button busy={act.busy} press={() => act.run(rotate)}>
            Rebuild all CRLs
          </Button>
        }
      />
      <div class="stack">
        {act.error && <Failure error={act.error} />}
        <Ready from={lists}>
          {(all) => (
            <div class="stack">
              <Card title="CRLs">
                {all.length === 0 ? (
                  <Empty text="An authority has a list as soon as it exists. This mount has none yet." />
                ) : (
                  <Lists all={all} />
                )}
              </Card>
              {shown?.crl && <OpenList one={shown.one} crl={shown.crl} />}
            </div>
          )}
        </Ready>
        <Configuration />
      </div>
    </>
  );
}

function Lists({ all }: { all: readonly Listed[] }): JSX.Element {
  const now = new Date();
  return (
    <table class="table cards">
      <Columns
        of={["Issuer", ["Entries", "right"], ["Number", "mid-only right"], "Next update", "State"]}
      />
      <tbody>
        {all.map(({ one, crl }) => {
          const to = address("revocation", one.record.issuer_id);
          const fresh = crl?.nextUpdate !== undefined && crl.nextUpdate > now;
          return (
            <OpenRow key={one.record.issuer_id} to={crl && to}>
              <td>{crl ? <a href={to}>{one.name}</a> : one.name}</td>
              <td class="right num">
                {crl ? crl.entries.length : "–"}
                <span class="phone-text"> entries</span>
              </td>
              <td class="mid-only right num">{crl?.number ?? "–"}</td>
              <td>
                {crl?.nextUpdate ? (
                  <>
                    {distance(crl.nextUpdate, now)}
                    <span class="sub">{date(crl.nextUpdate)}</span>
                  </>
                ) : (
                  "–"
                )}
              </td>
              <td>
                {crl ? (
                  <Badge tone={fresh ? "calm" : "danger"} mark={fresh ? "check" : "x"}>
                    {fresh ? "Fresh" : "Expired"}
                  </Badge>
                ) : (
                  <Badge>No list</Badge>
                )}
              </td>
            </OpenRow>
          );
        })}
      </tbody>
    </table>
  );
}

function OpenList({ one, crl }: { one: Authority; crl: CrlView }): JSX.Element {
  const file = fileName(one.name);
  return (
    <Card
      title={`CRL of ${one.name}`}
      end={
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
            press={() => save(`${file}.crl.pem`, "application/x-pem-file", `${crl.pem}\n`)}
          >
            .pem
          </Button>
        </>
      }
    >
      <Facts
        rows={[
          ["Number", crl.number],
          ["Signed", instant(crl.thisUpdate)],
          ["Next update", crl.nextUpdate ? instant(crl.nextUpdate) : "Not said"],
          ["Signature", crl.signature],
        ]}
      />
      <CrlEntries view={crl} />
    </Card>
  );
}

function Configuration(): JSX.Element {
  const turn = useStore(pki.changes, (value) => value.turn);
  const config = useLoad(pki.crlConfig, [turn]);
  return (
    <Card title="How lists are made">
      <div class="pad">
        <Ready from={config}>
          {(value) => <ConfigForm key={JSON.stringify(value)} config={value} />}
        </Ready>
      </div>
    </Card>
  );
}

function ConfigForm({ config }: { config: pki.CrlConfig }): JSX.Element {
  const [expiry, setExpiry] = useState(config.expiry);
  const [disable, setDisable] = useState(config.disable);
  const [auto, setAuto] = useState(config.auto_rebuild);
  const [grace, setGrace] = useState(config.auto_rebuild_grace_period);
  const act = useAct();
  // The API writes 1h30m too; only what is certainly wrong is refused here.
  const bad = (value: string): string | undefined =>
    seconds(value) === undefined && !/^(\d+[hms])+$/.test(value.trim())
      ? `${value}: not a duration. Write 72h or 30m`
      : undefined;
  const saveConfig = (event: Event): void => {
    event.preventDefault();
    if (bad(expiry) || bad(grace)) return;
    act.run(async () => {
      const { warnings } = await pki.saveCrlConfig({
        expiry: expiry.trim(),
        disable,
        auto_rebuild: auto,
        auto_rebuild_grace_period: grace.trim(),
      });
      told("Saved", warnings);
      pki.changed();
    });
  };
  return (
    <form class="stack close" onSubmit={saveConfig} noValidate>
      <div class="pair">
        <Text
          label="CRL lifetime"
          value={expiry}
          change={setExpiry}
          error={bad(expiry)}
          hint={<code>expiry</code>}
        />
        <Text
          label="Rebuild before expiry"
          value={grace}
          change={setGrace}
          error={bad(grace)}
          hint={<code>auto_rebuild_grace_period</code>}
        />
      </div>
      <div class="flags">
        <Check
          label={
            <>
              rebuild on schedule, not after each revocation <code class="quiet">auto_rebuild</code>
            </>
          }
          checked={auto}
          change={setAuto}
        />
        <Check
          label={
            <>
              disable CRLs <code class="quiet">disable</code>
            </>
          }
          checked={disable}
          change={setDisable}
          hint="One empty list is signed; revocations are still recorded."
        />
      </div>
      {act.error && <Failure error={act.error} />}
      <div class="actions">
        <Button kind="primary" submit busy={act.busy}>
          Save
        </Button>
      </div>
    </form>
  );
}
