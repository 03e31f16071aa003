/**
 * Writes `test/fixtures/pkits.br` from the files of PKITS: `node test/verify/make-pkits.ts DIR`, where
 * DIR contains `certs` and `crls`.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { root } from "../support/syntax.ts";

const [folder = "."] = process.argv.slice(2);
const files = ["certs", "crls"].flatMap((kind) =>
  readdirSync(join(folder, kind))
    .filter((name) => /\.cr[tl]$/.test(name))
    .toSorted()
    .map((name) => ({ name, bytes: readFileSync(join(folder, kind, name)) })),
);
const index = files.map(({ name, bytes }) => `${name} ${bytes.length}`).join("\n");
writeFileSync(
  join(root, "test/fixtures/pkits.br"),
  brotliCompressSync(
    Buffer.concat([Buffer.from(`${index}\n\n`), ...files.map(({ bytes }) => bytes)]),
    { params: { [constants.BROTLI_PARAM_LGWIN]: 22 } },
  ),
);
