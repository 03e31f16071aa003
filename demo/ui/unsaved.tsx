import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { guardLeaving } from "../lib/route.ts";
import { Button } from "./button.tsx";
import { Note } from "./page.tsx";

/**
 * The state of a secret that is shown once, and the guard that keeps its dialog open until the user
 * has saved it.
 */
interface Saving {
  readonly saved: boolean;
  /** Records whether the user has saved the secret. */
  readonly confirm: (saved: boolean) => void;
  /** Whether the user tried to close the dialog before saving. */
  readonly asking: boolean;
  readonly mayClose: () => boolean;
  /** Allows closing the dialog even if the secret was not saved. */
  readonly release: () => void;
}

/** Keeps a dialog and the view behind it open until the user has saved the secret in the dialog. */
export function useSaving(begun = false): Saving {
  const [saved, save] = useState(begun);
  const [asking, setAsking] = useState(false);
  const free = useRef(begun);
  free.current = saved;
  const mayClose = (): boolean => {
    if (!free.current) setAsking(true);
    return free.current;
  };
  useEffect(() => guardLeaving(mayClose), []);
  const confirm = (value: boolean): void => {
    save(value);
    setAsking(false);
  };
  const release = (): void => void (free.current = true);
  return { saved, confirm, asking, mayClose, release };
}

interface Props {
  /** The kind of object that would be lost, such as `key` or `keys`. */
  what: string;
  /** Whether `what` is a plural. */
  many?: boolean;
  lose: () => void;
  /** The consequences of closing. */
  children?: ComponentChildren;
}

/** The notice that closing would lose the secret, with a button that closes anyway. */
export function Unsaved({ what, many = false, lose, children }: Props): JSX.Element {
  return (
    <div role="alert">
      <Note tone="danger" icon="warn">
        <b>
          The {what} {many ? "are" : "is"} not saved yet
        </b>
        {children}
        <p>
          <Button tiny kind="danger" press={lose}>
            Close and lose the {what}
          </Button>
        </p>
      </Note>
    </div>
  );
}
