import { spawnSync } from "node:child_process";
import { parseEnv } from "node:util";
import { expect, it } from "vitest";
import { readDotenv } from "../../demo/routes/variables/dotenv.ts";
import { seeded } from "../support/authority.ts";
import { withWorkspace, type Service } from "./service.ts";

type Values = Readonly<Record<string, string>>;
type Writer = Pick<Service, "call"> & { readonly workspace: string };

/**
 * Values whose quotes, backslashes and line ends have misled parsers. The tests put them between
 * values that every parser reads correctly.
 */
const traps: readonly Values[] = [
  { A: "C:\\dir\\", B: "\nEVIL=1\n", C: "it is" },
  { A: "C:\\dir\\\\", B: "'x'\nEVIL=1" },
  { A: "it's C:\\", B: '"\nEVIL=1\n"', C: 'say "hi"' },
  { A: `it's "so"\nEVIL=1\n`, B: "\nEVIL=2 #'" },
  { A: `"\nEVIL=1\n\\`, B: '"' },
  { A: `'"\r\nEVIL=1\r\n\\\\`, B: "\\" },
  { A: `'${"$"}{A}"\n${"$"}{B}\nEVIL=\\`, B: "'\"`\\$" },
  { A: "# 'x' \\", B: `it's # "\nexport EVIL=1`, C: "`EVIL`" },
  { A: "a\u2028EVIL=1'\"\n\u2028EVIL=2\\", B: "$(echo EVIL)" },
  { A: "\n\\", B: "\n'\\", C: "\n\"'" },
];
const plain = { BEFORE: "plain", AFTER: "two words", LAST: "it's" };

/** Returns the variables of a shell that has read a text, by name. */
function inShell(text: string, names: readonly string[]): Values {
  const print = names.map((name) => `printf '%s\\0' "$${name}"`).join("\n");
  const read = spawnSync("sh", [], {
    encoding: "utf8",
    env: {},
    input: `set -au\n${text}${print}\nprintf %s "\${EVIL-}"\n`,
  });
  expect(read.stderr).toBe("");
  const told = read.stdout.split("\0");
  expect(told[names.length]).toBe("");
  return Object.fromEntries(names.map((name, i) => [name, told[i] ?? ""]));
}
const inConsole = (text: string): Values => {
  const { items, faults } = readDotenv(text);
  expect(faults).toEqual([]);
  return Object.fromEntries(items.map(({ key, value }) => [key, value ?? ""]));
};

/** Patterns for the end of a quoted value, by family of parsers. */
const ends = {
  "a backslash is an ordinary character": String.raw`(?:(?!\2)[^])*\2[^\n]*`,
  // the longest match that is followed by a line end, else the rest of the line, like the Node
  // package
  "a quote after a backslash does not end the value": String.raw`(?:\\\2|(?!\2)[^])*\2(?=\n)|[^\n]*`,
  // like the Python package
  "a backslash escapes the next character": String.raw`(?:\\[^]|(?!\2)[^\\])*\2[^\n]*`,
};
const namesBy = (end: string, text: string): readonly string[] =>
  [...text.matchAll(new RegExp(String.raw`^(?:export )?(\w+)=(['"])(?:${end})$`, "gm"))].map(
    ([, name = ""]) => name,
  );

async function exported({ call, workspace }: Writer, values: Values): Promise<string> {
  const data = Object.entries(values).map(([key, value]) => ({
    type: "vars",
    attributes: { key, value, category: "env" },
  }));
  const written = await call("POST", `/workspaces/${workspace}/vars/bulk`, { data });
  expect(written.status, written.text).toBe(200);
  return (await call("GET", `/workspaces/${workspace}/vars/export`)).text;
}
/**
 * Asserts that every parser reads exactly the written names, that shell and console read every
 * value, and that Node reads every value that has no warning.
 */
function expectKept(text: string, values: Values): void {
  const names = Object.keys(values);
  expect(inShell(text, names), text).toEqual(values);
  expect(inConsole(text), text).toEqual(values);
  const node = parseEnv(text);
  expect(Object.keys(node).sort(), text).toEqual([...names].sort());
  for (const name of names.filter((one) => !text.includes(`# ${one}: quoted`)))
    expect(node[name], text).toBe(values[name]);
  for (const [reader, end] of Object.entries(ends))
    expect(new Set(namesBy(end, text)), `${reader}: ${text}`).toEqual(new Set(names));
}

it.each(traps)(
  "no parser reads a part of a value as a line, or a line as a part of a value (%j)",
  async (trap) => {
    const values = { ...plain, ...trap };
    expectKept(await exported(await withWorkspace(), values), values);
  },
);

it("values with any quotes, backslashes and line ends do not affect their neighbors", async () => {
  const service = await withWorkspace();
  const random = seeded(11);
  const below = (count: number): number => (random(1)[0] ?? 0) % count;
  const pieces = [
    "'",
    "'",
    '"',
    '"',
    "\\",
    "\\",
    "\n",
    "\r",
    "\nEVIL=1\n",
    "EVIL='",
    'EVIL="',
    "\n# ",
    " # ",
    "${A}",
    "$",
    "`",
    "=",
    " ",
    "n",
    "\u{1f512}",
  ];
  for (let round = 0; round < 60; round++) {
    const value = () =>
      Array.from({ length: below(8) }, () => pieces[below(pieces.length)]).join("") +
      "\\".repeat(below(4) === 0 ? 1 + below(3) : 0);
    const values = { ...plain, A: value(), B: value(), C: value(), D: value() };
    expectKept(await exported(service, values), values);
  }
});
