/** More combining marks than any name has; normalizing them takes quadratic time. */
const manyMarks = /\p{M}{30}/u;

/** Returns a text in lower case and NFC, in which two spellings of a policy name are one. */
export const foldPolicyName = (text: string): string => {
  // lower case of a sigma depends on what follows it, which the beginning of a name must not
  const lower = text.replaceAll("Σ", "σ").toLowerCase();
  return manyMarks.test(lower) ? lower : lower.normalize("NFC");
};
/** Returns the normal form of a policy name in a list: folded, without the blanks around it. */
export const policyNameForm = (text: string): string => foldPolicyName(text.trim());
