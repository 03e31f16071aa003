/**
 * Applies the theme that the user has chosen in this browser, or else the system's theme, before
 * the first paint.
 */
try {
  const chosen = localStorage.getItem("sealwright-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen;
} catch {
  // The browser may block storage; the system's theme applies then.
}
