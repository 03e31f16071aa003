import { commands } from "../../server/cli/commands.ts";
import { exitCodes, type Command } from "../../server/cli/command.ts";
import { formatSynopsis } from "../../server/cli/help.ts";
import type { Files } from "./product.ts";

/** Escapes text for a cell of a Markdown table. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

/** Commands whose flags are documented on another page, with a sentence that links to it. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ["serve", "Its flags are the [settings](settings.md) of the server."],
]);

const block = (lines: readonly string[]): string => ["```sh", ...lines, "```"].join("\n");

function section(command: Command): string {
  const { name, about, more = [], arguments: declared = [], flags } = command;
  const { examples = [], otherExamples } = command;
  const other = elsewhere.get(name);
  const rows = flags.map(
    ({ flag, variable, meaning, default: fallback }) =>
      `| \`${flag}\` | ${cell(meaning)} | ${cell(fallback)} | ${variable ? `\`${variable}\`` : ""} |`,
  );
  return [
    `## ${name}`,
    `\`${formatSynopsis(command)}\``,
    // help lines that begin with spaces are list items
    about.map((line) => (line.startsWith("  ") ? `- ${line.trim()}` : line)).join("\n"),
    ...(declared.length > 0
      ? [declared.map((one) => `- \`${one.name}\`: ${cell(one.meaning)}`).join("\n")]
      : []),
    ...(other ? [other] : []),
    ...(rows.length > 0 && !other
      ? [
          ["| flag | meaning | default | environment |", "| --- | --- | --- | --- |", ...rows].join(
            "\n",
          ),
        ]
      : []),
    ...(more.length > 0 && !other ? [more.join("\n")] : []),
    ...(examples.length > 0 ? [block(examples)] : []),
    ...(otherExamples
      ? [`<!-- not run: ${otherExamples.notRun} -->\n\n${block(otherExamples.lines)}`]
      : []),
  ].join("\n\n");
}

const codes: Readonly<Record<keyof typeof exitCodes, string>> = {
  success: "success",
  failure: "the command failed",
  usage: "the command line is wrong",
  unreachable: "no server can be reached, or its certificate is not trusted",
  rejected: "the server rejected the request",
  invalid: "`verify`: the certificate is not valid",
};

/** Generates docs/cli.md, which describes every command and its flags. */
export function commandLineFile(): Files {
  const all = [...commands.values()];
  const exits = Object.entries(exitCodes).map(
    ([name, code]) => `| ${code} | ${codes[name as keyof typeof exitCodes]} |`,
  );
  return {
    "docs/cli.md": `<!-- Made by \`npm run generate\`; what is changed here is lost. -->
# The command line

\`sealwright help <command>\` shows the same in a terminal. With the package installed, \`npx sealwright\` runs it.

| command | use it to |
| --- | --- |
${all.map(({ name, summary }) => `| [${name}](#${name}) | ${summary} |`).join("\n")}

## One minute to a trusted https://localhost

In one terminal, start a server. It issues its own certificate:

<!-- not run: keeps running; test/server/cli.test.ts goes this way -->

\`\`\`sh
npx sealwright serve --tls own
\`\`\`

In another one, in the same directory:

<!-- not run: changes the trust stores of the machine; test/server/cli.test.ts goes this way -->

\`\`\`sh
npx sealwright init                          # an intermediate below the root of that certificate, and a role
npx sealwright trust install                 # makes the machine and its browsers trust the root
npx sealwright issue localhost --out tls     # tls/privkey.pem and tls/fullchain.pem
\`\`\`

The console at https://localhost:8787/demo/ is trusted now, and so is a server of yours with these files. In Node:

<!-- not run: keeps running; test/server/cli.test.ts goes this way -->

\`\`\`js
import { readFileSync } from "node:fs";
import { createServer } from "node:https";

const [key, cert] = ["tls/privkey.pem", "tls/fullchain.pem"].map((path) => readFileSync(path));
createServer({ key, cert }, (_, response) => response.end("trusted\\n")).listen(8443);
\`\`\`

\`curl https://localhost:8443\` and browsers need no option. The certificate lasts 30 days: run [renew](#renew) with \`--daemon\`, or every day. Start the browser again if it was running.

## Server and token

Commands find the server in this order: \`--address\`, \`--data-dir\`, \`SEALWRIGHT_ADDR\`, \`BAO_ADDR\`, \`VAULT_ADDR\`, and then the server that runs for \`./data\` on this machine. They reach that one over its Unix socket, with the root token of its data directory.

The token is the first of these: \`--token-file\`, \`SEALWRIGHT_TOKEN\` (or the file of \`SEALWRIGHT_TOKEN_FILE\`), the one that \`login\` stored for this server. \`BAO_TOKEN\`, \`VAULT_TOKEN\`, \`BAO_CACERT\` and \`VAULT_CACERT\` are only used if the address comes from \`BAO_ADDR\` or \`VAULT_ADDR\`.

If the certificate of the server has a root that this machine does not trust, name the root: \`--ca root.pem\` or \`SEALWRIGHT_CACERT\`. \`trust install\` makes the machine trust it.

Results are printed to standard output; warnings and errors, one sentence each, to standard error. \`--json\` prints one JSON document.

| exit code | meaning |
| --- | --- |
${exits.join("\n")}

## Files of a certificate

\`issue\` writes these files, and \`renew\` replaces all of them at once: they are links into a directory for each version.

| file | contents |
| --- | --- |
| \`privkey.pem\` | the private key, PKCS#8, mode 0600 |
| \`fullchain.pem\` | the certificate and its intermediates, in the order that TLS servers send |
| \`cert.pem\`, \`chain.pem\` | the certificate; its intermediates |
| \`root.pem\` | the root, for clients |
| \`order.json\` | server, mount, role and names, for \`renew\` |

${all.map(section).join("\n\n")}
`,
  };
}
