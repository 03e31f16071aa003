/**
 * Applies the theme chosen in this browser before the first paint; without a choice the system
 * decides.
 */
try {
  const chosen = localStorage.getItem("sealwright-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen;
} catch {
  // Storage may be blocked; then the system's theme stays.
}
