import type { ComponentChildren, JSX } from "preact";
import { createStore, useStore } from "../lib/store.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Warnings } from "./page.tsx";
import { toast } from "./toast.tsx";

const nothing: {
  readonly title: string;
  readonly warnings: readonly string[];
  readonly remedy: ComponentChildren;
} = { title: "", warnings: [], remedy: undefined };
const news = createStore(nothing);

/**
 * Reports a success in a toast, or in a dialog if there are warnings. The dialog also shows
 * `remedy`, such as a button.
 */
export function notify(
  title: string,
  warnings: readonly string[],
  remedy?: ComponentChildren,
): void {
  news.set(warnings.length === 0 ? nothing : { title, warnings, remedy });
  if (warnings.length === 0) toast(title);
}

/** The dialog with warnings from the server, which is shown above the current view. */
export function WarningDialog(): JSX.Element | null {
  const { title, warnings, remedy } = useStore(news, (value) => value);
  if (warnings.length === 0) return null;
  const close = (): void => news.set(nothing);
  return (
    <Dialog title={title} close={close}>
      <Warnings texts={warnings} />
      {remedy}
      <div class="actions">
        <Button press={close}>Close</Button>
      </div>
    </Dialog>
  );
}
