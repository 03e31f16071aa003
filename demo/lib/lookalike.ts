import { unicodeForm } from "./punycode.ts";
import { mixed, visible } from "./format.ts";

/**
 * Letters that most fonts draw as letters of ASCII: `а` of Cyrillic is seen as `a`. Lower case
 * only, as names in the DNS are.
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
    // Latin that is no ASCII
    ı: "i",
    ɡ: "g",
    ɑ: "a",
    ɩ: "i",
    ǃ: "l",
    ⅼ: "l",
  }),
);

/** A label as it is seen; undefined where a letter of it is seen as no letter of ASCII. */
function seenLabel(label: string): string | undefined {
  const letters = [...label].map((letter) => (letter <= "\u007f" ? letter : seenAs.get(letter)));
  return letters.includes(undefined) ? undefined : letters.join("");
}

/** The explanation of a deceptive name. */
interface Disguise {
  /** In its own letters; empty where it stands in them already. */
  readonly letters: string;
  /** The name in ASCII that it can be taken for; empty for none. */
  readonly like: string;
  /** True if letters of several scripts stand in one label. */
  readonly mixed: boolean;
}

/** Returns the explanation of a deceptive name in a certificate; undefined for others. */
export function disguise(name: string): Disguise | undefined {
  const letters = unicodeForm(name);
  const labels = (letters ?? name).toLowerCase().split(".");
  const seen = labels.map((label) => seenLabel(label) ?? label);
  const told = {
    letters: letters === undefined ? "" : visible(letters),
    like: labels.some((label, i) => label !== seen[i]) ? visible(seen.join(".")) : "",
    mixed: labels.some(mixed),
  };
  return told.letters === "" && told.like === "" && !told.mixed ? undefined : told;
}

/** Reports whether somebody could take a name for another one. */
export const misleads = (name: string): boolean => {
  const told = disguise(name);
  return told !== undefined && (told.like !== "" || told.mixed);
};
