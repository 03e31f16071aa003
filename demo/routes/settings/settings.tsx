import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Card, Facts, Head, Note, Ready } from "../../ui/page.tsx";
import {
  browserStorage,
  readPersistence,
  privateWindow,
  type Persistence,
} from "../../lib/persistence.ts";
import { place, placeName } from "../../lib/place.ts";
import { address, open } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { choose, theme, type Theme } from "../../lib/color-theme.ts";
import { sizeText } from "../../lib/size-text.ts";
import { serviceWorker, update } from "../../lib/service-worker.ts";
import { ConnectForm } from "../../ui/connect-form.tsx";
import { SignOut } from "../../ui/sign-out.tsx";

/** The settings view: appearance, connection, storage and version. */
export function Settings(): JSX.Element {
  const where = useStore(place, (value) => value);
  const waiting = useStore(serviceWorker, (value) => value.waiting);
  return (
    <>
      <Head title="Settings" />
      <div class="stack">
        {waiting && (
          <Note>
            <b>A new version is ready</b>
            <p class="small">Reload the page to use it. Stored data is not affected.</p>
            <p>
              <Button tiny press={update}>
                Reload now
              </Button>
            </p>
          </Note>
        )}
        <div class="cols">
          <Connection />
          <div class="stack">
            <Appearance />
            {where.kind === "browser" && <Storage />}
          </div>
        </div>
      </div>
    </>
  );
}

function Appearance(): JSX.Element {
  const chosen = useStore(theme, (value) => value.chosen);
  const options: readonly (readonly [Theme, string])[] = [
    ["system", "System"],
    ["light", "Light"],
    ["dark", "Dark"],
  ];
  return (
    <Card title="Appearance">
      <div class="pad">
        <div class="pick" role="group" aria-label="Theme">
          {options.map(([value, text]) => (
            <button
              key={value}
              type="button"
              aria-pressed={value === chosen}
              onClick={() => choose(value)}
            >
              {text}
            </button>
          ))}
        </div>
      </div>
    </Card>
  );
}

function Connection(): JSX.Element {
  const where = useStore(place, (value) => value);
  const named = where.kind === "worker" && where.base !== "";
  const signedIn = named && (where.token !== "" || where.varsToken !== "");
  return (
    <Card
      title="Connect to a server"
      end={named ? <Badge tone="accent">{placeName(where)}</Badge> : undefined}
    >
      <ConnectForm done={() => open(address("overview"))}>{signedIn && <SignOut />}</ConnectForm>
    </Card>
  );
}

/** Returns the usage, quota and persistence of the browser's storage. */
async function stateOfStorage(): Promise<StorageEstimate & { persistence: Persistence }> {
  const storage = browserStorage();
  const persistence = await readPersistence(storage);
  return { persistence, ...(persistence !== "unknown" && (await storage?.estimate())) };
}

function PersistenceRow({
  persistence,
  request,
}: {
  persistence: Persistence;
  request: () => void;
}): JSX.Element {
  if (persistence === "unknown") return <>Not reported by this browser</>;
  if (persistence === "persistent")
    return (
      <Badge tone="ok" mark="check">
        Persistent
      </Badge>
    );
  if (persistence === "forgets")
    return (
      <>
        <Badge tone="warn" mark="warn">
          Not persistent
        </Badge>
        <p class="small muted">Deleted when this private window closes.</p>
      </>
    );
  return (
    <>
      <Badge tone="warn" mark="warn">
        Not persistent
      </Badge>
      <p class="small muted">May be cleared when space is low.</p>
      <Button tiny press={request}>
        Make persistent
      </Button>
    </>
  );
}

function Storage(): JSX.Element {
  const [turn, setTurn] = useState(0);
  const state = useLoad(stateOfStorage, [turn]);
  const [refused, setRefused] = useState(false);
  const failure = useStore(serviceWorker, (value) => value.failure);
  const requestPersistence = async (): Promise<void> => {
    setRefused(!(await navigator.storage.persist().catch(() => false)));
    setTurn(turn + 1);
  };
  if (failure)
    return (
      <Card title="Storage">
        <div class="pad">
          <Note tone="danger" icon="x">
            {failure}
          </Note>
        </div>
      </Card>
    );
  return (
    <Card title="Storage">
      <Ready from={state}>
        {({ persistence, usage, quota }) => (
          <>
            <Facts
              rows={[
                [
                  "Persistent",
                  <PersistenceRow
                    persistence={persistence}
                    request={() => void requestPersistence()}
                  />,
                ],
                usage !== undefined &&
                  quota !== undefined && ["Used", `${sizeText(usage)} of about ${sizeText(quota)}`],
                ["CA keys", "Encrypted with a key that never leaves this browser"],
              ]}
            />
            <p class="pad small muted">{privateWindow}</p>
            {refused && (
              <p class="pad small">
                The browser declined. It may agree after you have bookmarked or installed the page.
              </p>
            )}
          </>
        )}
      </Ready>
      <div class="pad">
        <Note tone="warn" icon="lock">
          <b>Make a backup</b>
          <p class="small">
            Clearing the site data deletes this authority.{" "}
            <a href={address("system", "backup")}>A backup</a> can restore it, here or in another
            browser.
          </p>
        </Note>
      </div>
    </Card>
  );
}
