import { readFileSync } from "node:fs";
import { join } from "node:path";
import { refusals, statusOfRefusal, type Refusal } from "../../src/base/errors.ts";
import type { Files } from "./product.ts";

const source = join(import.meta.dirname, "../../src/base/errors.ts");

/**
 * Generates the page with all error codes and their meanings, which are the doc comments of the
 * codes.
 */
export function errorsFile(): Files {
  const text = readFileSync(source, "utf8");
  const meanings = new Map(
    [...text.matchAll(/^ {2}\/\*\* (.+?) \*\/\n {2}(\w+): \{/gm)].map(
      ([, meaning = "", code = ""]) => [code, meaning] as const,
    ),
  );
  const rows = (Object.keys(refusals) as Refusal[]).map((code) => {
    const meaning = meanings.get(code);
    if (meaning === undefined) throw new Error(`${code} has no one-line comment in ${source}`);
    const statuses = [false, true].map((read) => statusOfRefusal(code, read));
    return `| \`${code}\` | ${[...new Set(statuses)].join(", on reads ")} | ${meaning} |\n`;
  });
  return {
    "docs/reference/errors.md": `<!-- Made by \`npm run generate\`; what is changed here is lost. -->
# Error codes

Every error of the API has one of these codes in the header \`X-Error-Code\`, and the typed client has it in \`code\` of a \`SealwrightError\`. A code keeps its meaning in later versions, which may add codes. Errors of ACME (RFC 8555) and EST have the form of their protocol and no such header.

With \`X-Vault-Token\` or \`Authorization: Bearer\`, an issuer, key or AppRole that does not exist has status 500.

| code | status | meaning |
| --- | --- | --- |
${rows.join("")}
The typed client adds two codes: \`bad_response\`, if it cannot read the response, and \`unknown\`, if a response has no code, such as that of a proxy.
`,
  };
}
