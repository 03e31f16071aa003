/**
 * Formats text as a doc comment with lines of at most 100 characters. Returns an empty string if
 * the text is empty.
 */
export function comment(text: string): string {
  const safe = text.trim().replaceAll("*/", "*\\/");
  if (safe === "") return "";
  const lines = safe.split("\n").flatMap(wrapped);
  const [only = ""] = lines;
  return lines.length === 1 && only.length <= 91
    ? `/** ${only} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
}
function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.trim().split(/ +/)) {
    if (line !== "" && line.length + word.length >= 95) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
