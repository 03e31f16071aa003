import type { JSX } from "preact";
import { createStore, useStore } from "../lib/store.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Warnings } from "./page.tsx";
import { toast } from "./toast.tsx";

const nothing: { title: string; warnings: readonly string[] } = { title: "", warnings: [] };
const news = createStore(nothing);

/** Says what has been done: in passing, or in a dialog when the authority warns of something. */
export function notify(title: string, warnings: readonly string[]): void {
  if (warnings.length === 0) toast(title);
  else news.set({ title, warnings });
}

/** The dialog with what the authority warns of, over whatever view is shown meanwhile. */
export function WarningDialog(): JSX.Element | null {
  const { title, warnings } = useStore(news, (value) => value);
  if (warnings.length === 0) return null;
  const close = (): void => news.set(nothing);
  return (
    <Dialog title={title} close={close}>
      <Warnings texts={warnings} />
      <div class="actions">
        <Button press={close}>Close</Button>
      </div>
    </Dialog>
  );
}
