import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { addressOfMount, visibleMounts } from "../api/visible-mounts.ts";
import { visible } from "../lib/visible-text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Filter } from "../ui/field.tsx";
import { Badge, Icon } from "../ui/icon.tsx";
import {
  connectOnly,
  here,
  connectedWorkers,
  place,
  placeName,
  sandboxed,
  signedOut,
  switchPlace,
} from "../lib/place.ts";
import { address, push } from "../lib/route.ts";
import { useLoad } from "../lib/use-load.ts";
import { useStore } from "../lib/store.ts";
import type { ServerAddress } from "../lib/page-location.ts";

/** A server or mount that can be selected. */
function Choice({
  to,
  about,
  close,
}: {
  to: ServerAddress;
  about: string;
  close: () => void;
}): JSX.Element {
  const now = place.get();
  const used = now.kind === to.kind && now.base === to.base;
  const use = (): void => {
    switchPlace(to, address("overview"));
    close();
  };
  return (
    <li>
      <Icon
        name={to.kind === "browser" ? "browser" : "server"}
        tone={to.kind === "browser" ? "ok" : "info"}
      />
      <div>
        <b>{placeName(to)}</b>
        <p class="small muted">
          {about}
          {used && ". In use"}
        </p>
      </div>
      {!used && (
        <Button tiny press={use}>
          Use
        </Button>
      )}
    </li>
  );
}

/** Maximum number of mounts in the dialog without a filter. */
const maxUnfiltered = 8;

/** The mounts of the current server that the token may access. */
function MountChoices({ close }: { close: () => void }): JSX.Element | null {
  const { mount: current } = useStore(place, (value) => value);
  // older servers do not list their mounts
  const all = useLoad(() => visibleMounts().catch((): readonly string[] => []), []).value ?? [];
  const [text, setText] = useState("");
  if (all.length < 2) return null;
  const shown = all.filter((mount) => mount.includes(text.trim()));
  return (
    <>
      <h3 class="small muted">Mounts of {placeName(place.get())}</h3>
      {all.length > maxUnfiltered && (
        <Filter label={`Filter ${all.length} mounts`} value={text} change={setText} />
      )}
      <ul class="list">
        {shown.map((mount) => (
          <li key={mount}>
            <Icon name="certs" />
            <div>
              <code class="break">{visible(mount)}</code>
            </div>
            {mount === current ? (
              <Badge tone="accent">In use</Badge>
            ) : (
              <Button
                tiny
                label={`Open ${visible(mount)}`}
                press={() => (close(), push(addressOfMount(mount)))}
              >
                Open
              </Button>
            )}
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="small muted">No mount contains “{visible(text)}”.</p>}
      <h3 class="small muted">Servers</h3>
    </>
  );
}

/** The dialog that selects another mount or server, or the CA in this browser. */
export function ChoosePlace({ close }: { close: () => void }): JSX.Element {
  const where = useStore(place, (value) => value);
  const workers = [
    ...new Set([
      ...(where.kind === "worker" && where.base ? [where.base] : []),
      ...connectedWorkers(),
    ]),
  ];
  const mountOf = (base: string): string => (base === where.base ? where.mount : "pki");
  return (
    <Dialog title="Choose a mount or server" close={close}>
      {!signedOut(where) && <MountChoices close={close} />}
      <ul class="list">
        {workers.map((base) => (
          <Choice
            key={base}
            to={{ kind: "worker", base, mount: mountOf(base) }}
            about={`Server, mount ${mountOf(base)}`}
            close={close}
          />
        ))}
        {!connectOnly && (
          <Choice
            to={here}
            about={sandboxed ? "For experiments: does not affect the server" : "Works offline"}
            close={close}
          />
        )}
      </ul>
      <div class="actions">
        <a class="btn plain" href={address("system", "mounts")} onClick={close}>
          All mounts
        </a>
        <a class="btn plain" href={address("settings")} onClick={close}>
          Connect to another server
        </a>
        <Button press={close}>Close</Button>
      </div>
    </Dialog>
  );
}
