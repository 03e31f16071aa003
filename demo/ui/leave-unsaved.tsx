import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { guardLeaving, open } from "../lib/route.ts";

/**
 * Asks before what was typed of a `what` is lost with the view; `free` lets it go without a
 * question.
 */
export function useLeaving(
  edited: boolean,
  what = "role",
): {
  free: { current: boolean };
  asking: JSX.Element | false;
} {
  const [to, setTo] = useState("");
  const free = useRef(false);
  const held = useRef(edited);
  held.current = edited;
  // before anything can be typed into what was drawn
  useLayoutEffect(() => {
    const own = location.hash;
    return guardLeaving(() => {
      const may = free.current || !held.current;
      // The window itself is being left when the address is still this one, and then the browser
      // asks.
      if (!may && location.hash !== own) setTo(location.hash);
      return may;
    });
  }, []);
  const leave = (): void => {
    free.current = true;
    open(to);
  };
  useEffect(() => {
    // A saving that was under way has come to its end: nothing is left to ask about.
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
