import { execFileSync } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeJks } from "../../src/archive/jks.ts";
import { secretOf } from "../../src/archive/pbes2.ts";
import { readPkcs12 } from "../../src/archive/pkcs12-read.ts";
import { writePkcs12, type Encoder } from "../../src/archive/pkcs12.ts";
import { readDer } from "../../src/base/der.ts";
import { encodePem } from "../../src/base/pem.ts";
import { CaError } from "../../src/base/errors.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { nameText } from "../../src/x509/name.ts";
import { forSeedsInTurn } from "../base/seeds.ts";
import { itWith } from "../support/programs.ts";
import { opensslBytes, withFiles } from "../x509/fixture.ts";
import { mutated } from "../x509/mutated.ts";
import { entries, random } from "./entry.ts";
import { readJks } from "./jks-reader.ts";
import { byNss, legacy, quick, vectorPassword } from "./vectors.ts";
import { threadTime } from "../support/spent.ts";

const password = "correct horse";
const [[, ec], [, rsa]] = entries;
const encoders: readonly Encoder[] = ["modern2026", "modern2023"];
const archives = await Promise.all(
  encoders.map((encoder) => writePkcs12(ec, { encoder, password, random })),
);
const plain = (list: readonly Uint8Array[]) => list.map((bytes) => [...bytes]);

/** Returns an archive that openssl creates. */
const packed = (
  args: readonly string[],
  { key, certificates }: typeof rsa = rsa,
  secret = password,
) =>
  withFiles(
    {
      key: encodePem("PRIVATE KEY", key),
      chain: certificates.map((der) => encodePem("CERTIFICATE", der)).join("\n"),
    },
    (path) =>
      opensslBytes([
        "pkcs12",
        "-export",
        "-inkey",
        path("key"),
        "-in",
        path("chain"),
        "-passout",
        `pass:${secret}`,
        ...args,
      ]),
  );
const refusal = async (archive: Uint8Array, secret = password) => {
  const error = await readPkcs12(archive, secret).catch((one: unknown) => one);
  expect(error).toBeInstanceOf(CaError);
  return (error as CaError).message;
};

describe("readPkcs12", () => {
  it.each(
    encoders.flatMap((encoder) => entries.map(([kind, entry]) => [encoder, kind, entry] as const)),
  )(
    "reads an archive written with %s and a key of type %s",
    async (encoder, _, { key, certificates }) => {
      const archive = await writePkcs12({ key, certificates }, { encoder, password, random });
      const read = await readPkcs12(archive, password);
      expect(plain(read.keys)).toEqual(plain([key]));
      expect(plain(read.certificates)).toEqual(plain(certificates));
      const store = await writePkcs12({ certificates }, { encoder, password, random });
      const trusted = await readPkcs12(store, password);
      expect(plain(trusted.keys)).toEqual([]);
      expect(plain(trusted.certificates)).toEqual(plain(certificates));
    },
  );

  itWith("openssl", "version")(
    "security row 78: reads archives of openssl with every supported hash and cipher, and with an empty password",
    async () => {
      for (const [args, secret] of [
        [[], password],
        [["-macalg", "sha1"], password],
        [["-macalg", "sha384", "-keypbe", "aes-128-cbc", "-certpbe", "aes-128-cbc"], password],
        [["-macalg", "sha512", "-iter", "100000"], password],
        [["-keypbe", "NONE", "-certpbe", "NONE"], password],
        [["-nomaciter"], password],
        [["-legacy"], password],
        [["-legacy", "-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-RC2-128"], password],
        [["-keypbe", "PBE-SHA1-2DES", "-certpbe", "PBE-SHA1-2DES"], ""],
        [["-keypbe", "des-ede3-cbc", "-certpbe", "des-ede3-cbc"], password],
        [[], ""],
        [[], "Füße 日本"],
      ] as const) {
        const read = await readPkcs12(packed(args, rsa, secret), secret);
        expect([args, plain(read.certificates)]).toEqual([args, plain(rsa.certificates)]);
        expect(plain(read.keys)).toEqual(plain([rsa.key]));
      }
    },
  );

  itWith("openssl", "version")(
    "security row 78: names what is not supported, and how to convert the archive",
    async () => {
      for (const [args, text] of [
        [
          ["-legacy", "-keypbe", "PBE-SHA1-RC4-128"],
          /encrypted with .*, which is not supported: re-encode it/,
        ],
        [
          ["-certpbe", "aes-192-cbc"],
          /the cipher 2\.16\.840\.1\.101\.3\.4\.1\.22 is not supported/,
        ],
        [["-nomac"], /has no password-based MAC/],
        [["-iter", "600001"], /has the iteration count 600001, but only 1 to 600000 are accepted/],
        [["-macalg", "md5"], /the hash .* is not supported/],
      ] as const)
        expect(await refusal(packed(args))).toMatch(text);
    },
  );

  itWith("openssl", "version")(
    "security row 78: suggests a command that converts the archive",
    async () => {
      for (const args of [["-iter", "600001"]]) {
        const archive = packed(args);
        const [, command = ""] = /re-encode it with (.*)$/.exec(await refusal(archive)) ?? [];
        const directory = mkdtempSync(join(tmpdir(), "pkcs12-"));
        try {
          writeFileSync(join(directory, "old.p12"), archive);
          // passwords that openssl otherwise prompts for
          const typed = command
            .replace("-in old.p12", `-passin "pass:${password}" -in old.p12`)
            .replace("-out new.p12", `-passout "pass:${password}" -out new.p12`);
          execFileSync("sh", ["-c", typed], { cwd: directory, stdio: "pipe" });
          const written = readFileSync(join(directory, "new.p12"));
          const read = await readPkcs12(Uint8Array.from(written), password);
          expect([plain(read.keys), plain(read.certificates)]).toEqual([
            plain([rsa.key]),
            plain(rsa.certificates),
          ]);
          expect(readdirSync(directory).sort()).toEqual(["new.p12", "old.p12"]);
        } finally {
          rmSync(directory, { recursive: true });
        }
      }
    },
  );

  it("security row 78: limits the sum of the iteration counts of an archive to 2,000,000", () => {
    const reader = readDer(Uint8Array.of(0x30, 0), "the archive");
    const secret = secretOf(password);
    for (let count = 0; count < 4; count++) secret.spend(500_000, reader);
    expect(() => secret.spend(1, reader)).toThrow(
      /has a total iteration count of more than 2000000/,
    );
  });

  it("security row 78: reports a wrong password as such, also an empty one", async () => {
    for (const archive of archives)
      for (const secret of ["wrong", "", `${password} `, "x".repeat(1024)])
        expect(await refusal(archive, secret)).toBe(
          "PKCS#12: the password is wrong, or the archive was changed",
        );
    const [archive = new Uint8Array()] = archives;
    expect(await refusal(archive, "x".repeat(1025))).toContain("more than 1024 characters");
  });

  it("security row 78: rejects huge iteration counts before any hashing", async () => {
    const [archive = new Uint8Array()] = archives;
    const huge = Uint8Array.from(archive);
    // the iteration count of PBMAC1, 100,000, which comes last
    const at = Buffer.from(huge).lastIndexOf(Buffer.from([0x02, 0x03, 0x01, 0x86, 0xa0]));
    huge[at + 2] = 0x7f;
    const began = threadTime();
    expect(await refusal(huge)).toMatch(
      /has the iteration count 8357536, but only 1 to 600000 are accepted/,
    );
    // this number of iterations would take seconds
    expect(threadTime() - began).toBeLessThan(1000);
  });

  it("reads an archive of NSS, which is BER with AES and 600,000 iterations", async () => {
    const { keys, certificates } = await readPkcs12(byNss, "secret");
    expect([keys.length, certificates.length]).toEqual([1, 1]);
    const [certificate = new Uint8Array()] = certificates;
    expect(nameText(parseCertificate(certificate).subject)).toBe("CN=Import CA");
    const [key = new Uint8Array()] = keys;
    expect(createPrivateKey({ key: Buffer.from(key), format: "der", type: "pkcs8" }).type).toBe(
      "private",
    );
  });

  it("rejects truncated or deeply nested BER, and data that is not an archive", async () => {
    expect(await refusal(Uint8Array.of(0x30, 0x80, 0, 0))).toMatch(/^PKCS#12, PFX/);
    expect(await refusal(Uint8Array.of(0x30, 0x80, 0x04, 0x80, 1, 0, 0, 0, 0))).toMatch(/^PKCS#12/);
    expect(await refusal(Uint8Array.of(0x30, 0x80, 0x02, 1, 3))).toMatch(/^PKCS#12/);
    expect(await refusal(new Uint8Array(1000).fill(0x30))).toMatch(/^PKCS#12/);
    const deep = Uint8Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? 0x30 : 0x80));
    expect(await refusal(deep)).toMatch(/^PKCS#12/);
    expect(await refusal(ec.key)).toMatch(/^PKCS#12/);
    expect(await refusal(new Uint8Array())).toMatch(/^PKCS#12/);
    expect(await refusal(new Uint8Array(1024 * 1024 + 1))).toMatch(/larger than 1048576 bytes/);
  });

  it("security row 78: reads a small archive of openssl, in the current and the legacy format", async () => {
    const { keys, certificates } = await readPkcs12(quick, vectorPassword);
    expect([keys.length, certificates.length]).toEqual([1, 1]);
    const older = await readPkcs12(legacy, vectorPassword);
    expect([plain(older.keys), plain(older.certificates)]).toEqual([
      plain(keys),
      plain(certificates),
    ]);
    expect(await refusal(legacy, "wrong")).toMatch(/the password is wrong/);
  });

  it("reads an archive with changed bytes as before, or rejects it with a CaError", async () => {
    const whole = await readPkcs12(quick, vectorPassword);
    await forSeedsInTurn(
      fc.asyncProperty(mutated(quick), async (bytes) => {
        const read = await readPkcs12(bytes, vectorPassword).catch((error: unknown) => error);
        if (read instanceof Error) expect(read).toBeInstanceOf(CaError);
        else expect(read).toEqual(whole);
      }),
    );
  });

  it("returns what was written, in PKCS#12 and JKS, for any password, key type and chain length", async () => {
    await forSeedsInTurn(
      fc.asyncProperty(
        fc.constantFrom(...entries),
        fc.constantFrom(...encoders),
        fc.nat(3),
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.boolean(),
        async ([, { key, certificates }], encoder, more, text, keyed) => {
          const secret =
            [...text].filter((c) => c >= " " && c !== "\u007f" && c.length === 1).join("") || "p";
          const chain = [...certificates, ...Array<Uint8Array>(more).fill(certificates[1])];
          const contents = { certificates: chain, ...(keyed && { key }) };
          const archive = await writePkcs12(contents, {
            encoder,
            password: secret,
            random,
            rounds: 2,
          });
          const read = await readPkcs12(archive, secret);
          expect(plain(read.keys)).toEqual(plain(keyed ? [key] : []));
          expect(plain(read.certificates)).toEqual(plain(chain));
          const jks = writeJks(contents, { password: secret, random, now: 1, alias: "a" });
          const all = readJks(jks, secret).flatMap((entry) => plain(entry.certificates));
          expect(all).toEqual(plain(chain));
        },
      ),
    );
  });
});
