import { createStore } from "../../lib/store.ts";

const key = "sealwright-api-names";

function storedChoice(): boolean {
  try {
    return localStorage.getItem(key) === "shown";
  } catch {
    return false;
  }
}

/** The choice to show the API names of fields. */
export const apiNames = createStore({ shown: storedChoice() });

/** Shows or hides the API names, and stores the choice in this browser. */
export function showApiNames(shown: boolean): void {
  apiNames.set({ shown });
  try {
    if (shown) localStorage.setItem(key, "shown");
    else localStorage.removeItem(key);
  } catch {
    // Storage may be blocked; the choice then lasts as long as the page.
  }
}
