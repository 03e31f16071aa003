import type { JSX } from "preact";
import { createStore, useStore } from "../lib/store.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Warnings } from "./page.tsx";
import { toast } from "./toast.tsx";

const nothing: { title: string; warnings: readonly string[] } = { title: "", warnings: [] };
const news = createStore(nothing);

/** Reports a success: as a toast, or in a dialog if there are warnings. */
export function notify(title: string, warnings: readonly string[]): void {
  if (warnings.length === 0) toast(title);
  else news.set({ title, warnings });
}

/** The dialog with the server's warnings, above any view. */
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
