import type { JSX } from "preact";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import {
  connectOnly,
  here,
  knownWorkers,
  place,
  placeName,
  sandboxed,
  switchPlace,
} from "../lib/place.ts";
import { address } from "../lib/route.ts";
import { useStore } from "../lib/store.ts";
import type { ServerAddress } from "../lib/page-location.ts";

/** A server that can be selected. */
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
        name={to.kind === "browser" ? "browser" : "cloud"}
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

/** The dialog that selects another server, or this browser's CA. */
export function ChoosePlace({ close }: { close: () => void }): JSX.Element {
  const where = useStore(place, (value) => value);
  const workers = [
    ...new Set([...(where.kind === "worker" && where.base ? [where.base] : []), ...knownWorkers()]),
  ];
  const mountOf = (base: string): string => (base === where.base ? where.mount : "pki");
  return (
    <Dialog title="Choose a server" close={close}>
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
            about={
              sandboxed ? "For experiments: nothing in it reaches the server" : "Works offline"
            }
            close={close}
          />
        )}
      </ul>
      <div class="actions">
        <a class="btn plain" href={address("system", "mounts")} onClick={close}>
          Mounts
        </a>
        <a class="btn plain" href={address("settings")} onClick={close}>
          Connect another
        </a>
        <Button press={close}>Close</Button>
      </div>
    </Dialog>
  );
}
