import { createStore } from "./store.ts";

export type Theme = "light" | "dark" | "system";
const key = "sealwright-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function chosen(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** The chosen theme, and whether the page is currently dark. */
export const theme = createStore({ chosen: chosen(), dark: isDark(chosen()) });

function isDark(choice: Theme): boolean {
  return choice === "dark" || (choice === "system" && system.matches);
}

/** Chooses a theme and stores the choice in this browser. `system` removes the stored choice. */
export function choose(choice: Theme): void {
  const root = document.documentElement;
  if (choice === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = choice;
  theme.set({ chosen: choice, dark: isDark(choice) });
  try {
    if (choice === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
  } catch {
    // The browser may block storage; the theme then lasts as long as the page.
  }
}

system.addEventListener("change", () => theme.set({ dark: isDark(theme.get().chosen) }));
