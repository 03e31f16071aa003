import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { guardLeaving, open } from "../lib/route.ts";

/** Asks before leaving a view with unsaved edits of a `what`; `free` skips the question once. */
export function useLeaving(
  edited: boolean,
  what = "role",
): {
  free: { current: boolean };
  asking: JSX.Element | false;
} {
  const [to, setTo] = useState("");
  const free = useRef(false);
  const current = useRef(edited);
  current.current = edited;
  // runs before the user can type into the rendered form
  useLayoutEffect(() => {
    const own = location.hash;
    return guardLeaving(() => {
      const may = free.current || !current.current;
      // If the address is still this one the window itself is being closed, and the browser asks.
      if (!may && location.hash !== own) setTo(location.hash);
      return may;
    });
  }, []);
  const leave = (): void => {
    free.current = true;
    open(to);
  };
  useEffect(() => {
    // The save in progress has completed, so there is nothing to confirm.
    if (to !== "" && !edited) leave();
  }, [to, edited]);
  return {
    free,
    asking: to !== "" && <Leaving what={what} leave={leave} stay={() => setTo("")} />,
  };
}

function Leaving({
  what,
  leave,
  stay,
}: {
  what: string;
  leave: () => void;
  stay: () => void;
}): JSX.Element {
  return (
    <Dialog title="Leave without saving?" close={stay}>
      <p>Your changes to this {what} are not saved.</p>
      <div class="actions">
        <button class="btn" type="button" autofocus onClick={stay}>
          Keep editing
        </button>
        <Button kind="danger" press={leave}>
          Leave
        </Button>
      </div>
    </Dialog>
  );
}
