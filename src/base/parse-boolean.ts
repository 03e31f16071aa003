const spellings: Readonly<Record<string, boolean>> = {
  "1": true,
  t: true,
  T: true,
  true: true,
  TRUE: true,
  True: true,
  "0": false,
  f: false,
  F: false,
  false: false,
  FALSE: false,
  False: false,
};

/** Parses a boolean in the spellings that Go accepts. Returns undefined for other strings. */
export const parseBoolean = (text: string): boolean | undefined =>
  Object.hasOwn(spellings, text) ? spellings[text] : undefined;
