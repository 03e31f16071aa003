/** Maximum length of a URL in characters. */
const maxUrlLength = 2000;

/**
 * Returns the reason why a string is not an acceptable document URL, or undefined if it is. If
 * `plain`, http is also accepted.
 */
export function urlFault(text: string, plain = false): string | undefined {
  if (text.length > maxUrlLength) return `is longer than ${maxUrlLength} characters`;
  const url = URL.canParse(text) && /^[!-~]+$/.test(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" && !(plain && url?.protocol === "http:"))
    return plain ? "must be an http or https URL" : "must be an https URL";
  if (url.username !== "" || url.password !== "") return "must not have a user name or password";
  return text.includes("#") ? "must not have a fragment" : undefined;
}
