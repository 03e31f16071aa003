/**
 * Matches more combining marks than any name contains. Normalizing them would take quadratic time.
 */
const manyMarks = /\p{M}{30}/u;

/** Converts a policy name to lower case and NFC, so that all spellings become equal. */
export const foldPolicyName = (text: string): string => {
  // the lower case of a sigma depends on the next character, but the normal form of a prefix must
  // not
  const lower = text.replaceAll("Σ", "σ").toLowerCase();
  return manyMarks.test(lower) ? lower : lower.normalize("NFC");
};
/**
 * Returns the normal form of a policy name in a list: case-folded, without surrounding white space.
 */
export const policyNameForm = (text: string): string => foldPolicyName(text.trim());
