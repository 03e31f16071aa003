/**
 * Applies the theme that was chosen in this browser, before the first paint. If none was chosen,
 * the system's theme applies.
 */
try {
  const chosen = localStorage.getItem("sealwright-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen;
} catch {
  // The browser may block storage; the system's theme applies then.
}
