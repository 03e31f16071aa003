import type { JSX } from "preact";
import { createStore, useStore } from "../lib/store.ts";
import { Button } from "./button.tsx";

const key = "sealwright-api-names";

function storedChoice(): boolean {
  try {
    return localStorage.getItem(key) === "shown";
  } catch {
    return false;
  }
}

/** Whether forms show the API names of their fields. */
const apiNames = createStore({ shown: storedChoice() });

/** Shows or hides the API names, and stores the choice in this browser. */
function showApiNames(shown: boolean): void {
  apiNames.set({ shown });
  try {
    if (shown) localStorage.setItem(key, "shown");
    else localStorage.removeItem(key);
  } catch {
    // The browser may block storage; the choice then lasts as long as the page.
  }
}

/** Returns whether forms show API names, and renders the view again when that changes. */
export const useApiNames = (): boolean => useStore(apiNames, (value) => value.shown);

/**
 * The button that shows or hides the API names of fields in all forms. Set `tiny` for use next to
 * text.
 */
export function ApiNamesButton({ tiny = false }: { tiny?: boolean }): JSX.Element {
  const shown = useApiNames();
  return (
    <Button tiny={tiny} pressed={shown} press={() => showApiNames(!shown)}>
      API names
    </Button>
  );
}
