import type { JSX } from "preact";
import { useAct } from "../../lib/use-action.ts";
import { announceChange } from "../../lib/changes.ts";
import { instant } from "../../lib/time-text.ts";
import { visible } from "../../lib/visible-text.ts";
import { unlockUser } from "../../api/endpoints/sys.ts";
import { missingPermission } from "../../api/permissions.ts";
import { Button } from "../../ui/button.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Failure, Note } from "../../ui/page.tsx";
import { notify } from "../../ui/notify.tsx";
import { unlock, type LoginRecord } from "./login-calls.ts";

/** Returns the end of a user's lock after failed logins, or undefined if the user is not locked. */
export function lockEndOf({ locked_until: end }: LoginRecord): Date | undefined {
  return typeof end === "string" ? new Date(end) : undefined;
}

/** The badge of a locked user in the list. */
export const LockBadge = ({ end }: { end: Date }): JSX.Element => (
  <span class="sub">
    <Badge tone="warn" mark="lock">
      Locked
    </Badge>{" "}
    until {instant(end)}
  </span>
);

interface Locked {
  /** Accessor of the login method. */
  accessor: string;
  name: string;
}

/** The button that unlocks a user. */
export function Unlock({ accessor, name, done }: Locked & { done?: () => void }): JSX.Element {
  const act = useAct();
  const press = async (): Promise<void> => {
    const { warnings } = await unlock(accessor, name);
    announceChange();
    notify(`${visible(name)} is unlocked`, warnings);
    done?.();
  };
  return (
    <>
      <Button
        tiny
        busy={act.busy}
        press={() => act.run(press)}
        lacks={missingPermission(unlockUser, { mount_accessor: accessor, alias_identifier: name })}
        label={`Unlock ${visible(name)}`}
      >
        Unlock
      </Button>
      {act.error && <Failure error={act.error} />}
    </>
  );
}

/** The note in the dialog of a locked user. */
export const LockNote = ({ end, ...of }: Locked & { end: Date; done: () => void }): JSX.Element => (
  <Note tone="warn" icon="lock">
    <b>Locked until {instant(end)}</b>
    <p class="small">
      Logins failed five times in a row. Until then, even the right password is rejected. A new
      password also unlocks the user.
    </p>
    <Unlock {...of} />
  </Note>
);
