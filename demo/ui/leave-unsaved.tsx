import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { guardLeaving } from "../lib/route.ts";

/** The guard of a form with unsaved input. */
interface Leaving {
  /** Set this to true to skip the question once, for a navigation after saving. */
  readonly free: { current: boolean };
  /** The confirmation dialog, or false while it is closed. */
  readonly asking: JSX.Element | false;
  /**
   * Returns true if no input would be lost. Otherwise returns false, asks the user, and runs
   * `leave` if the user agrees.
   */
  readonly mayLeave: (leave: () => void) => boolean;
}

/**
 * Asks before unsaved input is lost, whether by a link, the browser's Back button, a switch to
 * another mount, or closing the window. `what` is the kind of object that is edited.
 */
export function useLeaving(isUnsaved: boolean | (() => boolean), what = "role"): Leaving {
  const [pending, setPending] = useState<{ readonly leave: () => void }>();
  const free = useRef(false);
  const unsaved = (): boolean => (typeof isUnsaved === "function" ? isUnsaved() : isUnsaved);
  const current = useRef(unsaved);
  current.current = unsaved;
  const mayLeave = (leave?: () => void): boolean => {
    const may = free.current || !current.current();
    if (!may && leave) setPending({ leave });
    return may;
  };
  // set the guard before the user can type into the rendered form
  useLayoutEffect(() => guardLeaving(mayLeave), []);
  const [left, setLeft] = useState<typeof pending>();
  const leave = (): void => {
    free.current = true;
    setPending(undefined);
    setLeft(pending);
  };
  // Leave after the dialog has closed and returned the focus to the form. The form may then move
  // the focus elsewhere.
  useEffect(() => left?.leave(), [left]);
  const isSaved = pending !== undefined && !unsaved();
  useEffect(() => {
    // If a pending save has completed meanwhile, there is nothing to confirm.
    if (isSaved) leave();
  }, [isSaved]);
  return {
    free,
    mayLeave,
    asking: pending !== undefined && (
      <Question what={what} leave={leave} stay={() => setPending(undefined)} />
    ),
  };
}

function Question({
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
