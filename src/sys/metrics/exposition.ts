import { boundsInSeconds, type Family } from "./families.ts";

/** Media type of the text format of Prometheus. */
export const expositionType = "text/plain; version=0.0.4; charset=utf-8";

const escapeHelp = (text: string): string =>
  text.replaceAll("`", "").replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
const escapeValue = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

function line(
  name: string,
  names: readonly string[],
  labels: readonly string[],
  value: number,
): string {
  const pairs = labels.map((label, i) => `${names[i] ?? ""}="${escapeValue(label)}"`).join();
  return `${name}${pairs === "" ? "" : `{${pairs}}`} ${value}\n`;
}

/** Encodes metrics in the text format of Prometheus, version 0.0.4. */
export const encodeExposition = (families: readonly Family[]): string =>
  families.map(encodeFamily).join("");

function encodeFamily(family: Family): string {
  const { name, help, labels: names, type } = family;
  const head = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
  if (type !== "histogram")
    return head + family.values.map(([labels, value]) => line(name, names, labels, value)).join("");
  const lines = family.values.flatMap(([labels, { buckets, sum }]) => [
    ...buckets.map((count, i) => {
      const le = String(boundsInSeconds[i] ?? "+Inf");
      return line(`${name}_bucket`, [...names, "le"], [...labels, le], count);
    }),
    line(`${name}_sum`, names, labels, sum),
    line(`${name}_count`, names, labels, buckets.at(-1) ?? 0),
  ]);
  return head + lines.join("");
}
