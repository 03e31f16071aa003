import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { Mark } from "../../ui/icon.tsx";
import { Failure, Heading, Note } from "../../ui/page.tsx";
import { notify } from "../../ui/notify.tsx";
import { browserStorage, readPersistence, privateWindow } from "../../lib/persistence.ts";
import { place, placeName, sandboxed } from "../../lib/place.ts";
import { address, open } from "../../lib/route.ts";
import { changes, issuers } from "../../api/pki.ts";
import { startTemplate, starts, type StartKind } from "./templates.ts";
import { useLoad, useStore } from "../../lib/store.ts";
import { serviceWorker } from "../../lib/service-worker.ts";

/** The first run: one click creates root, intermediate and role, and opens Issue. */
export function Start(): JSX.Element {
  const where = useStore(place, (value) => value);
  const here = where.kind === "browser";
  const failed = useStore(serviceWorker, (value) => value.failure);
  const failure = here ? failed : "";
  const keeps = useLoad(() => readPersistence(browserStorage()), []).value;
  const turn = useStore(changes, (value) => value.turn);
  const taken =
    useLoad(async () => (here || where.base !== "") && (await issuers()).length > 0, [where, turn])
      .value === true;
  const act = useAct();
  const [chosen, choose] = useState("");
  const [step, setStep] = useState("");
  const start = (kind: StartKind): void => {
    if (!act.busy) choose(kind.id);
    act.run(async () => {
      const from = performance.now();
      const { first, resumed, warnings } = await startTemplate(kind, setStep);
      const done = resumed ? "missing parts created" : "root, issuer and role created";
      notify(
        `${kind.title}: ${done}. ${((performance.now() - from) / 1000).toFixed(1)} s`,
        warnings,
      );
      open(`${address("issue", first.role)}?name=${encodeURIComponent(first.name)}`);
    });
  };
  return (
    <>
      <div class="hero">
        <Mark />
        <Heading title="Start">
          {here && sandboxed ? "A sandbox authority" : "A certificate authority"},{" "}
          {here ? "in this tab" : `on ${placeName(where)}`}
        </Heading>
        <p>
          Issue certificates that your own machines trust: for https on localhost, a home lab,
          services or mail. A template creates a root, an issuing authority and a role, and opens
          the form of your first certificate. Keys are generated{" "}
          {here ? (
            "here and never leave. This page works offline too."
          ) : (
            <>
              there, in the mount <code>{where.mount}</code>, and stay there.
            </>
          )}
        </p>
      </div>
      {failure && (
        <Note tone="danger" icon="x">
          {failure}
        </Note>
      )}
      {here && keeps === "forgets" && !failure && (
        <Note tone="warn" icon="warn">
          This is a private window, which discards everything when it closes. Use a normal window
          for an authority you want to keep.
        </Note>
      )}
      {taken && !act.busy && (
        <Note>
          This mount already has CAs. A template adds new ones.{" "}
          <a href={address("overview")}>Go to them</a>
        </Note>
      )}
      {act.error && !failure && (
        <Failure error={act.error}>
          Everything created so far is kept. Choose the same template to continue.
        </Failure>
      )}
      <div class="starts">
        {starts.map((kind) => (
          <StartButton
            key={kind.id}
            kind={kind}
            step={act.busy && chosen === kind.id ? step : ""}
            disabled={failure !== "" || (!here && where.base === "")}
            press={() => start(kind)}
          />
        ))}
      </div>
      <p class="muted small" id="start-more">
        Or <a href={address("settings")}>connect to a server</a>,{" "}
        <a href={address("inspect")}>inspect a file</a> or{" "}
        <a href={`${address("overview")}?empty=1`}>start empty</a>.
        {here && keeps !== "forgets" && ` ${privateWindow}`}
      </p>
    </>
  );
}

function StartButton({
  kind,
  step,
  disabled,
  press,
}: {
  kind: StartKind;
  step: string;
  disabled: boolean;
  press: () => void;
}): JSX.Element {
  return (
    <button
      class="start"
      type="button"
      aria-busy={step !== "" || undefined}
      disabled={disabled}
      onClick={press}
    >
      <b>{kind.title}</b>
      <span>{kind.about}</span>
      {step !== "" && (
        <span class="small" role="status">
          {step}
        </span>
      )}
    </button>
  );
}
