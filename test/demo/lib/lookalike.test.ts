import { domainToASCII, domainToUnicode } from "node:url";
import fc from "fast-check";
import { expect, it } from "vitest";
import { unicodeForm } from "../../../demo/lib/lookalike.ts";

it.each([
  ["xn--bcher-kva.example", "bücher.example"],
  ["www.XN--FIQS8S", "www.中国"],
  ["xn--mgbh0fb.xn--kgbechtv", "مثال.إختبار"],
  ["xn--e1afmkfd.xn--80akhbyknj4f", "пример.испытание"],
  ["*.xn--n3h.test", "*.☃.test"],
])("unicodeForm decodes %s as %s", (ascii, letters) => {
  expect(unicodeForm(ascii)).toBe(letters);
});

it.each([
  "www.example.test",
  "xn--.test",
  "xn--a-.test",
  "xn--ü.test",
  "xn--a_b.test",
  "xn--99999999999.test",
])("unicodeForm returns undefined for %s", (name) => {
  expect(unicodeForm(name)).toBeUndefined();
});

it("unicodeForm decodes every name that the platform encodes in punycode", () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom(..."abcäöüßžñπдשع中国日本語한국어0123456789"),
        minLength: 1,
        maxLength: 20,
      }),
      (label) => {
        const ascii = domainToASCII(`${label}.test`);
        if (ascii === "" || !ascii.includes("xn--")) return;
        expect(unicodeForm(ascii)).toBe(domainToUnicode(ascii));
      },
    ),
  );
});
