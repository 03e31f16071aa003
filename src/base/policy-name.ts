/** Matches more combining marks than any name has; normalizing them takes quadratic time. */
const manyMarks = /\p{M}{30}/u;

/** Returns a text in lower case and NFC, in which all spellings of a policy name are equal. */
export const foldPolicyName = (text: string): string => {
  // the lower case of a sigma depends on what follows it, but the fold of a prefix must not
  const lower = text.replaceAll("Σ", "σ").toLowerCase();
  return manyMarks.test(lower) ? lower : lower.normalize("NFC");
};
/** Returns the normal form of a policy name in a list: folded, without surrounding white space. */
export const policyNameForm = (text: string): string => foldPolicyName(text.trim());
