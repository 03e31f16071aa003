import { missingPermission } from "../../api/permissions.ts";
import * as endpoints from "../../api/endpoints/pki.ts";
import type { JSX } from "preact";
import { useAct } from "../../lib/use-action.ts";
import { crlOf } from "../../api/issuer-tree.ts";
import type { Authority } from "../../api/issuer.ts";
import { mountCrls, shardCrls, type MountCrls as All } from "./issuer-crls.ts";
import { lazy } from "../../ui/lazy.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Empty, Failure, Ready } from "../../ui/page.tsx";
import { notify } from "../../ui/notify.tsx";
import { changes, announceChange } from "../../lib/changes.ts";
import { rotateCrls } from "../../api/crls.ts";
import { route } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { CrlSettings } from "./crl-settings.tsx";
import { CrlTable } from "./crl-table.tsx";
import { Queue } from "./queue.tsx";

const OpenList = lazy(async () => (await import("./open-crl.tsx")).OpenCrl);

/** The list of the issuers' CRLs, the CRL that the URL specifies (if any), and the CRL settings. */
export function Crls(): JSX.Element {
  const id = useStore(route, (value) => value.id);
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(mountCrls, [turn]);
  return (
    <>
      <Ready from={result}>
        {(value) => {
          const { all, shards } = value;
          const one = all.find((listed) => listed.one.record.issuer_id === id)?.one;
          return (
            <div class="stack">
              <Card title="CRLs" end={all.length > 0 && <Rebuild />}>
                {all.length === 0 ? (
                  <Empty text="No CRLs yet. Each new authority gets a CRL." />
                ) : (
                  <CrlTable all={all} label="CRLs" sharded={shards > 0} />
                )}
                {all.length > 0 && !one && shards > 0 && (
                  <p class="pad small muted">Open an authority to see the CRLs of its shards.</p>
                )}
              </Card>
              {one && shards > 0 && <Shards one={one} of={value} />}
              {one && <Opened one={one} />}
            </div>
          );
        }}
      </Ready>
      <Queue />
      <CrlSettings />
    </>
  );
}

/** The card with the CRLs of an issuer's shards. */
function Shards({ one, of }: { one: Authority; of: All }): JSX.Element {
  const { issuer_id: id } = one.record;
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => shardCrls(one, of), [turn, id, of.shards, of.deltas]);
  return (
    <Card title={`Shards of ${one.name}`}>
      <Ready from={result}>
        {(all) =>
          all.length === 0 ? (
            <p class="pad muted">
              No shards yet. New certificates with a CRL URL are assigned to a shard.
            </p>
          ) : (
            <CrlTable all={all} label={`Shards of ${one.name}`} sharded={false} />
          )
        }
      </Ready>
    </Card>
  );
}

/** The view of the CRL that the URL specifies. */
function Opened({ one }: { one: Authority }): JSX.Element {
  const kind = useStore(route, (value) => value.query.get("list") ?? "");
  const turn = useStore(changes, (value) => value.turn);
  const { issuer_id: id } = one.record;
  const result = useLoad(async () => (await crlOf(id, kind)) ?? null, [turn, id, kind]);
  return (
    <Ready from={result}>
      {(crl) =>
        crl ? (
          <OpenList key={`${id} ${kind}`} of={{ one, kind }} crl={crl} />
        ) : (
          kind !== "" && <p class="muted">There is no such CRL.</p>
        )
      }
    </Ready>
  );
}

/** The button that rebuilds all CRLs now. */
function Rebuild(): JSX.Element {
  const act = useAct();
  const rotate = async (): Promise<void> => {
    const { warnings } = await rotateCrls();
    announceChange();
    notify("All CRLs rebuilt", warnings);
  };
  return (
    <>
      {act.error && <Failure error={act.error} />}
      <Button
        tiny
        lacks={missingPermission(endpoints.rotateCrl)}
        busy={act.busy}
        press={() => act.run(rotate)}
      >
        Rebuild all CRLs
      </Button>
    </>
  );
}
