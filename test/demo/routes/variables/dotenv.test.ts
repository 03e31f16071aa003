import { expect, it } from "vitest";
import { readDotenv, readPasted } from "../../../../demo/routes/variables/dotenv.ts";
import { assignment } from "../../../../src/vars/variables/dotenv.ts";

const read = (text: string): unknown => {
  const { items, faults } = readDotenv(text);
  expect(faults).toEqual([]);
  return items.map(({ key, category, value }) => [category, key, value]);
};

it("lines with comments, export, spaces and quotes are parsed like other dotenv parsers do", () => {
  const text = [
    "\ufeff# head",
    "",
    "A=1",
    "  export B = two words # and a remark\r",
    "C='it # is'",
    'D="a\\nb \\"c\\" \\$x \\q"',
    "E=",
    "F=# nothing",
    "G=a#b",
  ].join("\n");
  expect(read(text)).toEqual([
    ["env", "A", "1"],
    ["env", "B", "two words"],
    ["env", "C", "it # is"],
    ["env", "D", 'a\nb "c" $x \\q'],
    ["env", "E", ""],
    ["env", "F", ""],
    ["env", "G", "a#b"],
  ]);
});

it("quoted values may span several lines and keep their line endings", () => {
  expect(read("A='one\r\n\ttwo\n'\nB=\"x\ny\" # end")).toEqual([
    ["env", "A", "one\r\n\ttwo\n"],
    ["env", "B", "x\ny"],
  ]);
});

it("TF_VAR_ marks Terraform variables", () => {
  expect(read("TF_VAR_region=eu\nTF_VAR_=odd")).toEqual([
    ["terraform", "region", "eu"],
    ["env", "TF_VAR_", "odd"],
  ]);
});

it("an invalid line is reported with its number, and the other lines are still parsed", () => {
  const { items, faults } = readDotenv("nonsense\nA=1\nB='x' y\nA=2\n=3\nC='open\nD=1");
  expect(faults).toEqual([
    "Line 1: expected NAME=value",
    "Line 3: unexpected text after the closing quote",
    "Line 4: A is already set on line 2",
    "Line 5: expected NAME=value",
    "Line 6: missing closing quote",
  ]);
  expect(items.map(({ key }) => key)).toEqual(["A", "D"]);
});

it("parsing the exported line of any value returns the value", () => {
  for (const value of [
    "",
    " ",
    "it's",
    'it\'s \\n $HOME `x` "q"\n\n',
    "\\",
    "'\\",
    "\"'\n${K}${K+}\\",
    "a\r\nb",
    "# no",
    "\u{1f512}",
  ]) {
    expect(read(`${assignment("K", value)}L=1`)).toEqual([
      ["env", "K", value],
      ["env", "L", "1"],
    ]);
  }
});

it("a value may refer to an earlier double quote under its own name, and nothing else is substituted", () => {
  expect(
    read('A=\'"\'\nB="${A}"\nA="${A+}${A}c\\${A}"\nTF_VAR_x=\'"\'\nTF_VAR_x="${x}${TF_VAR_x}"'),
  ).toEqual([
    ["env", "A", '"c${A}'],
    ["env", "B", "${A}"],
    ["terraform", "x", '${x}"'],
  ]);
  expect(readDotenv("A='\"'\nA='${A}'\nB=b\nB=\"${B}\"").faults).toEqual([
    "Line 2: A is already set on line 1",
    "Line 4: B is already set on line 3",
  ]);
});

it("exported JSON is accepted with all attributes, and other JSON is rejected", () => {
  const attributes = {
    key: "a",
    value: null,
    category: "env",
    hcl: false,
    sensitive: true,
    description: null,
  };
  expect(readPasted(` ${JSON.stringify({ data: [{ type: "vars", attributes }] })}`)).toEqual({
    items: [attributes],
    faults: [],
  });
  expect(readPasted("{}").faults).toEqual(["The JSON has no list named data"]);
  expect(readPasted("{").faults).toEqual(["Invalid JSON"]);
  expect(readPasted('{"data":[{"attributes":{"key":"a"}},null]}').faults).toEqual([
    "Item 1: missing key or category",
    "Item 2: missing key or category",
  ]);
});
