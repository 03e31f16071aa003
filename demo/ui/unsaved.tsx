import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { guardLeaving } from "../lib/route.ts";
import { Button } from "./button.tsx";
import { Note } from "./page.tsx";

/** Whether what is shown once is saved, and what keeps its dialog open until then. */
interface Saving {
  readonly saved: boolean;
  /** Says that it is saved, or that it is not. */
  readonly confirm: (saved: boolean) => void;
  /** True if somebody wanted to close it too early. */
  readonly asking: boolean;
  readonly mayClose: () => boolean;
  /** Lets it close, whatever is saved. */
  readonly release: () => void;
}

/** Holds a dialog, and the view behind it, until what it shows is saved. */
export function useSaving(begun = false): Saving {
  const [saved, save] = useState(begun);
  const [asking, ask] = useState(false);
  const free = useRef(begun);
  free.current = saved;
  const mayClose = (): boolean => {
    if (!free.current) ask(true);
    return free.current;
  };
  useEffect(() => guardLeaving(mayClose), []);
  const confirm = (value: boolean): void => {
    save(value);
    ask(false);
  };
  const release = (): void => void (free.current = true);
  return { saved, confirm, asking, mayClose, release };
}

interface Props {
  /** The kind of what would be lost: `key`, `keys`. */
  what: string;
  /** True if these are several. */
  many?: boolean;
  lose: () => void;
  /** The consequences. */
  children?: ComponentChildren;
}

/** Says to whoever closes too early what would be lost, and lets them. */
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
