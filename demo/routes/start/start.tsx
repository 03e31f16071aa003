import { generateRoot } from "../../api/endpoints/pki.ts";
import { useMissingPermission } from "../../api/permissions.ts";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { Icon, Mark } from "../../ui/icon.tsx";
import { Failure, Heading, NotAllowed, Note } from "../../ui/page.tsx";
import { notify } from "../../ui/notify.tsx";
import { Seal } from "../../ui/seal.tsx";
import { browserStorage, readPersistence, privateWindow } from "../../lib/persistence.ts";
import { place, placeName, sandboxed } from "../../lib/place.ts";
import { address, open } from "../../lib/route.ts";
import { changes } from "../../lib/changes.ts";
import { issuers } from "../../api/issuers.ts";
import { startTemplate, starts, type StartKind } from "./templates.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { serviceWorker } from "../../lib/service-worker.ts";

/**
 * The start view, in which one click creates a root, an intermediate CA and a role, and opens the
 * issue form.
 */
export function Start(): JSX.Element {
  const where = useStore(place, (value) => value);
  const here = where.kind === "browser";
  const failed = useStore(serviceWorker, (value) => value.failure);
  const failure = here ? failed : "";
  const persistence = useLoad(() => readPersistence(browserStorage()), []).value;
  const turn = useStore(changes, (value) => value.turn);
  const isInUse =
    useLoad(async () => (here || where.base !== "") && (await issuers()).length > 0, [where, turn])
      .value === true;
  const lacks = useMissingPermission(generateRoot, { exported: "internal" });
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
      <div class="welcome">
        <div class="hero">
          <p class="brand">
            <Mark />
            Sealwright
          </p>
          <Heading title="Start">
            {here && sandboxed ? "A sandbox authority" : "A certificate authority"},{" "}
            {here ? "in this tab" : `on ${placeName(where)}`}
          </Heading>
          <p>
            Issue certificates that your own machines trust: for https on localhost, a home lab,
            services or email.
          </p>
          <p class="small">
            {here ? (
              "Keys are generated here and never leave this browser. This page also works offline."
            ) : (
              <>
                Keys are generated on the server, in the mount <code>{where.mount}</code>, and stay
                there.
              </>
            )}
          </p>
        </div>
        <Result />
      </div>
      <h2 class="choose">What do you need certificates for?</h2>
      {failure && (
        <Note tone="danger" icon="x">
          {failure}
        </Note>
      )}
      {here && persistence === "forgets" && !failure && (
        <Note tone="warn" icon="warn">
          This is a private window, which discards everything when it closes. Use a normal window
          for an authority that you want to keep.
        </Note>
      )}
      {lacks !== "" && <NotAllowed lacks={lacks} />}
      {isInUse && lacks === "" && !act.busy && (
        <Note>
          This mount already has CAs. A template adds more CAs.{" "}
          <a href={address("overview")}>Show the existing CAs</a>
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
            disabled={failure !== "" || lacks !== "" || (!here && where.base === "")}
            press={() => start(kind)}
          />
        ))}
      </div>
      <p class="muted small" id="start-more">
        Or <a href={address("settings")}>connect to {here ? "a" : "another"} server</a>,{" "}
        <a href={address("inspect")}>inspect a file</a> or{" "}
        <a href={`${address("overview")}?empty=1`}>start empty</a>.
        {here && persistence !== "forgets" && ` ${privateWindow}`}
      </p>
    </>
  );
}

const steps = [
  ["b1f0c2d9", "A root", "installed once on your machines", "root"],
  ["47a91e05", "An issuing authority", "signs what a role allows", ""],
  ["0c6ed813", "localhost", "your first certificate", ""],
] as const;

/** A drawing of what a template creates: a chain that browsers accept. */
const Result = (): JSX.Element => (
  <figure class="card result">
    <p class="mono">
      <Icon name="lock" tone="ok" /> https://localhost
    </p>
    <ol class="chain">
      {steps.map(([print, title, about, tone]) => (
        <li key={print}>
          <Seal sha256={print.repeat(8)} tone={tone} size={40} />
          <div>
            <b>{title}</b>
            <p class="small muted">{about}</p>
          </div>
        </li>
      ))}
    </ol>
    <figcaption class="small muted">A template creates all of this.</figcaption>
  </figure>
);

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
