import { createStore } from "../../lib/store.ts";

const key = "sealwright-api-names";

function kept(): boolean {
  try {
    return localStorage.getItem(key) === "shown";
  } catch {
    return false;
  }
}

/** Whether fields are shown with their names in the API. */
export const apiNames = createStore({ shown: kept() });

/** Shows them or not, and keeps the choice in this browser. */
export function showApiNames(shown: boolean): void {
  apiNames.set({ shown });
  try {
    if (shown) localStorage.setItem(key, "shown");
    else localStorage.removeItem(key);
  } catch {
    // Storage can be forbidden; the choice then lasts as long as the page.
  }
}
