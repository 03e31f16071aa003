/**
 * Compares our lints with those of zlint for zlint's test files and for certificates and CRLs of our
 * own. Downloads zlint through the Go module proxy. Run: node test/interop/zlint.ts
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodePem } from "../../src/base/pem.ts";
import { createCa, memoryStore } from "../../src/index.ts";
import { certificateLintIds, lintCertificate } from "../../src/lint/certificate.ts";
import { crlLintIds, lintCrl } from "../../src/lint/crl.ts";
import { byLint } from "./zlint/by-lint.ts";
import { differences } from "./zlint/differences.ts";

/** The findings of zlint for one file. */
interface Linted {
  readonly file: string;
  readonly kind: "certificate" | "crl";
  /** DER, base64. */
  readonly der: string;
  /** False if Go cannot parse the file. */
  readonly parsed: boolean;
  readonly found: readonly string[];
}

const source = join(import.meta.dirname, "zlint");
const folder = mkdtempSync(join(tmpdir(), "sealwright-zlint-"));
const go = (...args: readonly string[]): string =>
  execFileSync("go", args, { cwd: source, encoding: "utf8", maxBuffer: 2 ** 26 });

const known = new Set([...certificateLintIds, ...crlLintIds]);
for (const id of Object.values(byLint).flat())
  if (!known.has(id)) throw new Error(`by-lint.ts names ${id}, which is not one of our lints`);

/** Writes certificates and CRLs of every key type to files. */
async function writeOwn(into: string): Promise<void> {
  const keys = [
    ["ec", 256],
    ["ec", 384],
    ["rsa", 2048],
    ["ed25519", 0],
  ] as const;
  for (const [type, bits] of keys) {
    const { pki } = createCa({ stores: memoryStore() });
    const write = (name: string, text: unknown): void =>
      writeFileSync(join(into, `own-${type}-${bits}-${name}.pem`), String(text));
    const root = await pki.generateRoot({ common_name: "Root", key_type: type, key_bits: bits });
    write("root", root.certificate);
    await pki.writeUrls({
      issuing_certificates: ["http://pki.example.com/ca"],
      crl_distribution_points: ["http://pki.example.com/crl"],
    });
    await pki.writeRole({ name: "web", allow_any_name: true, key_type: type, key_bits: bits });
    const leaf = await pki.issue({ role: "web", common_name: "www.example.com", ttl: 86_400 });
    write("leaf", leaf.certificate);
    await pki.revoke({ serial_number: leaf.serial_number });
    write("crl", encodePem("X509 CRL", (await pki.readCrl()) ?? new Uint8Array()));
  }
}

const corpus = join(
  go("list", "-m", "-f", "{{.Dir}}", "github.com/zmap/zlint/v3").trim(),
  "testdata",
);
const own = join(folder, "own");
mkdirSync(own);
await writeOwn(own);
const files = [corpus, own].flatMap((at) =>
  readdirSync(at)
    .filter((file) => file.endsWith(".pem"))
    .map((file) => join(at, file)),
);
const program = join(folder, "compare");
go("build", "-o", program, ".");
const output = execFileSync(program, files, {
  encoding: "utf8",
  maxBuffer: 2 ** 28,
  stdio: ["ignore", "pipe", "ignore"],
});
rmSync(folder, { recursive: true });

let [agreed, explained, read] = [0, 0, 0];
const missed = new Map<string, string[]>();
for (const line of output.trim().split("\n")) {
  const { file, kind, der, parsed, found } = JSON.parse(line) as Linted;
  if (!parsed) continue;
  read++;
  const bytes = Uint8Array.from(Buffer.from(der, "base64"));
  const findings = kind === "crl" ? lintCrl(bytes) : lintCertificate(bytes);
  const ids = new Set(findings.map(({ id }) => id));
  for (const lint of found) {
    const ours = byLint[lint];
    if (!ours) continue;
    if (ours.some((id) => ids.has(id))) agreed++;
    else if (lint in differences) explained++;
    else missed.set(lint, [...(missed.get(lint) ?? []), file]);
  }
  if (file.startsWith("own-"))
    for (const { severity, id, rule } of findings)
      if (severity === "error") missed.set(`ours: ${id}, ${rule}`, [file]);
}
const open = [...missed.values()].flat().length;
process.stdout.write(
  `${read} files, ${Object.keys(byLint).length} lints of zlint: ${agreed} findings agree, ${explained} differ for a stated reason, ${open} differ.\n`,
);
for (const [lint, where] of missed) process.stdout.write(`${lint}: ${where.join(", ")}\n`);
process.exitCode = open > 0 ? 1 : 0;
