import { unicodeForm } from "./punycode.ts";
import { mixed, visible } from "./format.ts";

/**
 * Letters that most fonts draw like ASCII letters, such as Cyrillic `а`. Lower case only, as in DNS
 * names.
 */
const seenAs: ReadonlyMap<string, string> = new Map(
  Object.entries({
    // Cyrillic
    а: "a",
    с: "c",
    ԁ: "d",
    е: "e",
    һ: "h",
    і: "i",
    ї: "i",
    ј: "j",
    ӏ: "l",
    о: "o",
    р: "p",
    ԛ: "q",
    ѕ: "s",
    у: "y",
    ү: "y",
    ѵ: "v",
    ԝ: "w",
    х: "x",
    к: "k",
    ѐ: "e",
    ё: "e",
    // Greek
    α: "a",
    ε: "e",
    ι: "i",
    κ: "k",
    ν: "v",
    ο: "o",
    ρ: "p",
    τ: "t",
    υ: "u",
    χ: "x",
    // Armenian
    ց: "g",
    հ: "h",
    ո: "n",
    օ: "o",
    զ: "q",
    ս: "u",
    // Latin, not ASCII
    ı: "i",
    ɡ: "g",
    ɑ: "a",
    ɩ: "i",
    ǃ: "l",
    ⅼ: "l",
  }),
);

/** Returns how a label looks in ASCII; undefined if a letter looks like no ASCII letter. */
function visualLabel(label: string): string | undefined {
  const letters = [...label].map((letter) => (letter <= "\u007f" ? letter : seenAs.get(letter)));
  return letters.includes(undefined) ? undefined : letters.join("");
}

/** The explanation of a deceptive name. */
interface Disguise {
  /** The name in its own letters; empty if it is written in them already. */
  readonly letters: string;
  /** The ASCII name that it resembles; empty for none. */
  readonly like: string;
  /** True if a label mixes letters of several scripts. */
  readonly mixed: boolean;
}

/** Returns the explanation of a deceptive name in a certificate; undefined for others. */
export function disguise(name: string): Disguise | undefined {
  const letters = unicodeForm(name);
  const labels = (letters ?? name).toLowerCase().split(".");
  const seen = labels.map((label) => visualLabel(label) ?? label);
  const explanation = {
    letters: letters === undefined ? "" : visible(letters),
    like: labels.some((label, i) => label !== seen[i]) ? visible(seen.join(".")) : "",
    mixed: labels.some(mixed),
  };
  return explanation.letters === "" && explanation.like === "" && !explanation.mixed
    ? undefined
    : explanation;
}

/** Reports whether a name could be mistaken for another one. */
export const misleads = (name: string): boolean => {
  const explanation = disguise(name);
  return explanation !== undefined && (explanation.like !== "" || explanation.mixed);
};
