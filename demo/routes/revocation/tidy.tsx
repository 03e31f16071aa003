import { missingPermission } from "../../api/permissions.ts";
import { writeAutoTidy } from "../../api/endpoints/pki.ts";
import type { JSX } from "preact";
import { useAct } from "../../lib/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Badge, type IconName } from "../../ui/icon.tsx";
import { Card, Facts, Failure, Note, Ready } from "../../ui/page.tsx";
import { numeral } from "../../ui/pager.tsx";
import { notify } from "../../ui/notify.tsx";
import { changes } from "../../lib/changes.ts";
import { useLoad, useReloadWhile } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { autoTidy, cancelTidy, saveAutoTidy, tidyStatus, type TidyStatus } from "./tidy-calls.ts";
import { asShown, autoFields, autoMore, wrongAuto } from "./tidy-fields.ts";
import { countsOf, isRunning, progressOf } from "./tidy-status.ts";
import { instant, lasting } from "../../lib/time-text.ts";
import { RunTidy } from "./run-tidy.tsx";
import { SettingForm } from "../../ui/setting-form.tsx";
import { Moment } from "../../ui/life-state.tsx";

/** The tidy section with manual and automatic runs. */
export function Tidy(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const status = useLoad(tidyStatus, [turn]);
  const auto = useLoad(autoTidy, [turn]);
  const running = status.value !== undefined && isRunning(status.value);
  useReloadWhile(running, status, pause);
  return (
    <>
      {/* Refresh every second during a run, without dimming the content. */}
      <Ready from={{ ...status, busy: false }}>
        {(value) => <LastRun status={value} again={status.again} />}
      </Ready>
      <Ready from={auto}>
        {(value) => (
          <div class="stack">
            <Card title="Run now">
              <div class="pad">
                <RunTidy auto={value} running={running} begun={status.again} />
              </div>
            </Card>
            <Card title="Automatic tidy">
              <div class="pad">
                <SettingForm
                  record={value}
                  fields={autoFields}
                  more={autoMore}
                  moreTitle="Pace and counts"
                  wrongIn={wrongAuto}
                  save={(changes) => saveAutoTidy(asShown(changes, value))}
                  lacks={missingPermission(writeAutoTidy)}
                />
              </div>
            </Card>
          </div>
        )}
      </Ready>
    </>
  );
}

/** Time in ms between reloads of a run's status. */
const pause = 1000;

const badges: Readonly<Record<string, readonly [tone: string, mark: IconName]>> = {
  Running: ["accent", "cycle"],
  Cancelling: ["warn", "clock"],
  Finished: ["ok", "check"],
  Cancelled: ["warn", "x"],
  Error: ["danger", "x"],
};

const time = (text: unknown): Date | undefined => {
  const read = typeof text === "string" ? Date.parse(text) : NaN;
  return Number.isNaN(read) ? undefined : new Date(read);
};

function LastRun({ status, again }: { status: TidyStatus; again: () => void }): JSX.Element {
  const { state, error } = status;
  const running = isRunning(status);
  const [tone, mark] = badges[state] ?? ["", "info"];
  const [from, to] = [time(status.time_started), time(status.time_finished)];
  const auto = time(status.last_auto_tidy_finished);
  return (
    <Card
      title={running ? "This run" : "Last run"}
      end={
        state !== "Inactive" && (
          <Badge tone={tone} mark={mark}>
            {state}
          </Badge>
        )
      }
    >
      <div role="status">
        {running && <Progress status={status} again={again} />}
        {state === "Inactive" && <p class="pad muted">No runs yet.</p>}
      </div>
      {error && (
        <div class="pad">
          <Note tone="danger" icon="x">
            {error}
          </Note>
        </div>
      )}
      {state !== "Inactive" && (
        <Facts
          rows={[
            from !== undefined && ["Started", <Moment at={from} />],
            from !== undefined &&
              to !== undefined && [
                "Finished",
                `${instant(to)}, ${took(to.getTime() - from.getTime())}`,
              ],
            ...countsOf(status).map(([words, count]) => [words, numeral(count)] as const),
            ...stored(status),
            auto !== undefined && ["Last automatic run", <Moment at={auto} />],
          ]}
        />
      )}
    </Card>
  );
}

const took = (ms: number): string =>
  ms < 60_000 ? "in less than a minute" : `in ${lasting(ms / 1000)}`;

/** Returns the certificate counts, if they are maintained. */
function stored(status: TidyStatus): readonly (readonly [string, string])[] {
  const { current_cert_store_count: all, current_revoked_cert_count: revoked } = status;
  return [
    ...(typeof all === "number"
      ? [["Certificates stored, as last counted", numeral(all)] as const]
      : []),
    ...(typeof revoked === "number"
      ? [["Revoked certificates among them", numeral(revoked)] as const]
      : []),
  ];
}

function Progress({ status, again }: { status: TidyStatus; again: () => void }): JSX.Element {
  const act = useAct();
  const progress = progressOf(status.message);
  const cancel = async (): Promise<void> => {
    const { warnings } = await cancelTidy();
    notify("Tidy is being cancelled", warnings);
    again();
  };
  return (
    <div class="pad stack close">
      <p>{status.message ?? "Tidying"}</p>
      {progress ? (
        <progress key="known" max={progress.all} value={progress.done} aria-label="Progress" />
      ) : (
        <progress key="unknown" aria-label="Progress" />
      )}
      {act.error && <Failure error={act.error} />}
      <div class="actions">
        <Button
          busy={act.busy}
          disabled={status.state === "Cancelling"}
          press={() => act.run(cancel)}
        >
          Cancel this run
        </Button>
        <span class="small muted">Deleted data is not restored. You can leave this page.</span>
      </div>
    </div>
  );
}
