/**
 * Runs before the first paint: the theme somebody chose in this browser, if any. Otherwise the
 * system decides.
 */
try {
  const chosen = localStorage.getItem("sealwright-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen;
} catch {
  // Storage can be forbidden; then the system's theme stays.
}
