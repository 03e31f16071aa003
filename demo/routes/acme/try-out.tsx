import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { OfAcme } from "./calls.ts";
import type { Directory } from "./directories.ts";
import type { Exchange } from "./client.ts";
import { beginAttempt, finish, prove, type ObtainedCertificate, type Session } from "./attempt.ts";
import { useAct } from "../../lib/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Text } from "../../ui/field.tsx";
import { Card, Failure, Note, Ready } from "../../ui/page.tsx";
import { announceChange } from "../../lib/changes.ts";
import { installWorker } from "../../lib/service-worker.ts";
import { place } from "../../lib/place.ts";
import { useLoad } from "../../lib/use-load.ts";
import { choices, DirectoryFields, whyNot, whyNotName, type Choices } from "./directory-choice.tsx";
import { Exchanges } from "./exchanges.tsx";
import { CertificateCard, ProofCard } from "./proof.tsx";

/** An ACME client in the browser that shows its requests and responses. */
export function AcmeTry({ config }: OfAcme): JSX.Element {
  const result = useLoad(choices, []);
  return <Ready from={result}>{(of) => <Try of={of} config={config} />}</Ready>;
}

/** Returns why the client on this page cannot use the directory, or an empty string if it can. */
function unreachableReason({ path }: Choices, enabled: boolean): string {
  if (!enabled) return "ACME is off. Turn it on first.";
  if (!URL.canParse(path)) return "The mount’s URL is not configured. Set it first.";
  const { origin, href } = new URL(path);
  if (origin !== location.origin)
    return `The URL of this mount is ${href}, which this page cannot call. Open the console at ${origin}.`;
  return "";
}

function Try({ of, config }: OfAcme & { of: Choices }): JSX.Element {
  const [session, hold] = useState<Session>();
  const [got, get] = useState<ObtainedCertificate>();
  const [exchanges, setExchanges] = useState<readonly Exchange[]>([]);
  const [reason, because] = useState("");
  const [ordering, proving] = [useAct(), useAct()];
  const over = useRef(new AbortController());
  useEffect(() => () => over.current.abort(), []);
  const addExchange = (exchange: Exchange): void => setExchanges((before) => [...before, exchange]);
  const start = (target: { directory: Directory; name: string }): void => {
    over.current.abort();
    const { signal } = (over.current = new AbortController());
    hold(undefined);
    get(undefined);
    setExchanges([]);
    because("");
    ordering.run(async () => {
      if (place.get().kind === "browser") await installWorker();
      hold(await beginAttempt({ path: of.path, ...target }, addExchange, signal));
    });
  };
  const proven = (type: string): void => {
    const challenge = session?.authorization.challenges.find((one) => one.type === type);
    if (!session || !challenge) return;
    because("");
    proving.run(async () => {
      try {
        await prove(session, challenge, because);
        get(await finish(session));
        announceChange();
      } catch (error) {
        // ignore the error if another order has replaced this one
        if (!session.signal.aborted) throw error;
      }
    });
  };
  const why = unreachableReason(of, config.enabled);
  const failed = ordering.error ?? (session && proving.error);
  return (
    <div class="stack">
      <Card title="Try it: get a certificate with ACME">
        <div class="pad stack close">
          {why ? (
            <Note tone="warn" icon="warn">
              {why}
            </Note>
          ) : (
            <TargetForm
              of={of}
              config={config}
              busy={ordering.busy}
              isOrdered={session !== undefined && !got}
              start={start}
            />
          )}
        </div>
      </Card>
      {session && !got && (
        <ProofCard
          key={session.url}
          session={session}
          busy={proving.busy}
          reason={reason}
          failed={failed !== undefined}
          go={proven}
        />
      )}
      {failed && <Failure error={failed} />}
      {session && got && <CertificateCard session={session} got={got} />}
      {exchanges.length > 0 && <Exchanges all={exchanges} />}
    </div>
  );
}

function TargetForm({
  of,
  config,
  busy,
  isOrdered,
  start,
}: OfAcme & {
  of: Choices;
  busy: boolean;
  /** Whether an order is waiting for the user to fulfill its challenge. */
  isOrdered: boolean;
  start: (wanted: { directory: Directory; name: string }) => void;
}): JSX.Element {
  const [directory, setDirectory] = useState<Directory>({ role: of.roles[0] ?? "", issuer: "" });
  const [typed, setName] = useState<string>();
  // prefill a name that the role allows
  const name = typed ?? (of.examples.get(directory.role) || "www.dev.test");
  const [wrong, setWrong] = useState("");
  const why = whyNot(config, directory);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (name.trim() === "") return setWrong("Enter a name");
    start({ directory, name: name.trim() });
  };
  return (
    <form class="stack close" onSubmit={submit} noValidate>
      <DirectoryFields of={of} value={directory} change={setDirectory} />
      {why && (
        <Note tone="warn" icon="warn">
          {why}
        </Note>
      )}
      <Text
        label="Name"
        value={name}
        change={(value) => {
          setName(value);
          setWrong("");
        }}
        error={wrong || whyNotName(of, directory, name.trim()) || undefined}
        hint={
          config.eab_policy === "not-required"
            ? "The account uses a temporary key, which is discarded when you leave this view."
            : "The account uses a temporary key, which is discarded when you leave this view, and a new external account binding (EAB) key."
        }
      />
      <div class="actions">
        <Button kind={isOrdered ? "" : "primary"} submit busy={busy}>
          Order a certificate
        </Button>
      </div>
    </form>
  );
}
