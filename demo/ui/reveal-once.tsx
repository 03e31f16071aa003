import type { ComponentChildren, JSX } from "preact";
import { Button } from "./button.tsx";
import { Code } from "./code.tsx";
import { Dialog } from "./dialog.tsx";
import { Check } from "./field.tsx";
import { Note, Warnings } from "./page.tsx";
import { Unsaved, useSaving } from "./unsaved.tsx";

interface Props {
  title: string;
  /** The object that was changed. The dialog shows it with the server's name. */
  writes?: boolean | string;
  /** The kind of secret, such as `key` or `token`. */
  what: string;
  /** A sentence about how the secret is stored. */
  about: string;
  warnings: readonly string[];
  /** The values of the secret, each with a label. */
  secrets: readonly (readonly [label: string, text: string])[];
  close: () => void;
  children?: ComponentChildren;
}

/**
 * The dialog with a secret that is shown only once. Closing it removes the secret from the page.
 */
export function ShownOnce(props: Props): JSX.Element {
  const { title, writes = true, what, about, warnings, secrets, close, children } = props;
  const { saved, confirm, asking, mayClose } = useSaving();
  return (
    <Dialog title={title} close={close} mayClose={mayClose} writes={writes}>
      <Note tone="warn" icon="key">
        <b>The {what} is shown only once</b>
        <p class="small">{about}</p>
      </Note>
      <Warnings texts={warnings} />
      {secrets.map(([label, text]) => (
        <div key={label}>
          <p class="small muted">{label}</p>
          <Code text={text} label={label} wrap />
        </div>
      ))}
      {children}
      <Check label={`I have saved the ${what}`} checked={saved} change={confirm} />
      {asking && <Unsaved what={what} lose={close} />}
      <div class="actions">
        <Button disabled={!saved} press={close}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}
