import { visible } from "./visible-text.ts";
import { decodePunycode } from "../../src/base/punycode.ts";

/**
 * Decodes an internationalized DNS name: `bücher.example` for `xn--bcher-kva.example`. Returns
 * undefined if no label is in Punycode, or if one is malformed.
 */
export function unicodeForm(name: string): string | undefined {
  const labels = name.toLowerCase().split(".");
  if (!labels.some((label) => label.startsWith("xn--"))) return undefined;
  const read = labels.map((label) =>
    label.startsWith("xn--") ? decodePunycode(label.slice(4)) : label,
  );
  return read.includes(undefined) ? undefined : read.join(".");
}

const scripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
];
/** Reports whether a string contains letters of several scripts, as lookalike names do. */
export const mixesScripts = (text: string): boolean =>
  scripts.filter((script) => script.test(text)).length > 1;

/**
 * ASCII letters by the letters that resemble them in most fonts, such as Cyrillic `а`. All are
 * lowercase, as in DNS names.
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

/** Returns the ASCII label that a label looks like, or undefined if there is none. */
function visualLabel(label: string): string | undefined {
  const letters = [...label].map((letter) => (letter <= "\u007f" ? letter : seenAs.get(letter)));
  return letters.includes(undefined) ? undefined : letters.join("");
}

/** The properties of a name that can deceive readers. */
interface Disguise {
  /** The name decoded from Punycode; empty if the name is not in Punycode. */
  readonly letters: string;
  /** The ASCII name that the name resembles; empty if there is none. */
  readonly like: string;
  /** Whether a label contains letters of several scripts. */
  readonly mixed: boolean;
}

/**
 * Returns the properties of a name in a certificate that can deceive readers, or undefined if there
 * are none.
 */
export function disguise(name: string): Disguise | undefined {
  const letters = unicodeForm(name);
  const labels = (letters ?? name).toLowerCase().split(".");
  const seen = labels.map((label) => visualLabel(label) ?? label);
  const explanation = {
    letters: letters === undefined ? "" : visible(letters),
    like: labels.some((label, i) => label !== seen[i]) ? visible(seen.join(".")) : "",
    mixed: labels.some(mixesScripts),
  };
  return explanation.letters === "" && explanation.like === "" && !explanation.mixed
    ? undefined
    : explanation;
}

/** Reports whether a name could be mistaken for another name. */
export const misleads = (name: string): boolean => {
  const explanation = disguise(name);
  return explanation !== undefined && (explanation.like !== "" || explanation.mixed);
};
