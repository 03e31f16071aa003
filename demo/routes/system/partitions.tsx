import type { JSX } from "preact";
import type { ReadPartitionsReply } from "../../../src/client/sys.ts";
import { readData } from "../../api/call.ts";
import * as sys from "../../api/endpoints/sys.ts";
import { missingPermission } from "../../api/permissions.ts";
import { sizeText } from "../../lib/size-text.ts";
import { changes, announceChange } from "../../lib/changes.ts";
import { useLoad, useReloadWhile } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { useAct } from "../../lib/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Badge } from "../../ui/icon.tsx";
import { notify } from "../../ui/notify.tsx";
import { Failure, Note, Ready } from "../../ui/page.tsx";
import { numeral } from "../../ui/pager.tsx";
import { Columns } from "../../ui/table.tsx";
import { growMount, refreshPause, stopGrowth } from "./growth-calls.ts";

interface Props {
  path: string;
  /** Opens the dialog that increases the number of partitions from `count`. */
  grow: (count: number) => void;
}

/**
 * The states and sizes of a mount's partitions, and its growth. Renders nothing if the token may
 * not read them.
 */
export const Partitions = (props: Props): JSX.Element | null =>
  missingPermission(sys.readPartitions, { path: props.path }) === "" ? <Shown {...props} /> : null;

function Shown({ path, grow }: Props): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => readData(sys.readPartitions, { path }), [path, turn]);
  useReloadWhile(result.value?.growth?.state === "moving", result, refreshPause);
  return (
    // do not dim the content during a reload
    <Ready from={{ ...result, busy: false }}>
      {({ count, can_grow, growth, partitions }) => (
        <div class="stack close">
          {growth && <Growth path={path} growth={growth} />}
          {partitions.length > 1 ? (
            <PartitionTable all={partitions} />
          ) : (
            <p class="small muted">{partitions[0] && textOf(partitions[0])}</p>
          )}
          {can_grow && (
            <div class="actions from-start">
              <Button
                tiny
                lacks={missingPermission(sys.growPartitions, { path })}
                press={() => grow(count)}
              >
                More partitions…
              </Button>
            </div>
          )}
        </div>
      )}
    </Ready>
  );
}

function PartitionTable({ all }: { all: ReadPartitionsReply["partitions"] }): JSX.Element {
  return (
    <table class="table" aria-label="Partitions">
      <Columns of={["Partition", "State", ["Rows", "right"], ["Size", "right"]]} />
      <tbody>
        {all.map(({ number, state, rows, bytes }) => (
          <tr key={number}>
            <td>{number}</td>
            <td>{state === "ready" ? "Ready" : <Badge tone="danger">{state}</Badge>}</td>
            <td class="right">{rows === undefined ? "" : numeral(rows)}</td>
            <td class="right">{bytes === undefined ? "" : sizeText(bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The progress of a growth, and the button that stops or continues it. */
function Growth({
  path,
  growth: { state, from, to, percent, moved, error },
}: {
  path: string;
  growth: NonNullable<ReadPartitionsReply["growth"]>;
}): JSX.Element {
  const act = useAct();
  const isMoving = state === "moving";
  const change = async (): Promise<void> => {
    const { warnings } = await (isMoving ? stopGrowth(path) : growMount(path, to));
    notify(isMoving ? "Growth stopped" : "Growth continued", warnings);
    announceChange();
  };
  return (
    <div class="stack close">
      <p>
        {isMoving ? "Growing" : "Stopped while growing"} from {from} to {to} partitions: {percent}%,{" "}
        {numeral(moved)} rows moved
      </p>
      <progress max={100} value={percent} aria-label="Progress" />
      {error && (
        <Note tone="danger" icon="x">
          The last step failed and is being retried: {error}
        </Note>
      )}
      {act.error && <Failure error={act.error} />}
      <div class="actions from-start">
        <Button
          tiny
          busy={act.busy}
          lacks={missingPermission(isMoving ? sys.stopPartitions : sys.growPartitions, { path })}
          press={() => act.run(change)}
        >
          {isMoving ? "Stop" : "Continue"}
        </Button>
        <span class="small muted">
          The mount continues to serve requests.{" "}
          {isMoving ? "You can leave this page." : "Rows stay where they are."}
        </span>
      </div>
    </div>
  );
}

/** Returns a sentence about a mount with a single partition, with its size if known. */
function textOf({ rows, bytes }: { readonly rows?: number; readonly bytes?: number }): string {
  if (rows === undefined) return "One partition.";
  return `One partition with about ${numeral(rows)} rows${bytes === undefined ? "" : `, ${sizeText(bytes)}`}.`;
}
