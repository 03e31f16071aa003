import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readCrl, type CrlView } from "../../../../demo/lib/x509/crl-view.ts";
import { readCertificate, type CertificateView } from "../../../../demo/lib/x509/decode.ts";
import { crlHeadline, expiryText, headline } from "../../../../demo/lib/inspection/headline.ts";
import { verifyCertificates } from "../../../../demo/lib/inspection/verify-certificate.ts";
import { verifyCrl } from "../../../../demo/lib/inspection/verify-crl.ts";

const folder = mkdtempSync(join(tmpdir(), "sealwright-vouch-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const openssl = (...args: string[]): unknown =>
  execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
const ec = (curve = "P-256"): readonly string[] => [
  "-newkey",
  "ec",
  "-pkeyopt",
  `ec_paramgen_curve:${curve}`,
];
const read = (name: string): Promise<CertificateView> =>
  readCertificate(readFileSync(join(folder, `${name}.pem`), "utf8"));

interface Wanted {
  readonly cn?: string;
  /** File of the issuer's key and certificate; absent for a self-signed certificate. */
  readonly by?: string;
  readonly key?: readonly string[];
  readonly ca?: boolean | string;
  readonly id?: string;
  readonly authorityId?: string;
  readonly sign?: readonly string[];
  readonly days?: number;
  /** Further lines for the extensions. */
  readonly more?: string;
}

/** Creates a key and a certificate with openssl, in files with this name. */
function make(
  name: string,
  {
    cn = name,
    by,
    key = ec(),
    ca = false,
    id = "hash",
    authorityId = "",
    sign = [],
    days = 200,
    more = "",
  }: Wanted,
): void {
  const file = `${name}.cnf`;
  const constraints = `basicConstraints=critical,CA:${ca ? "TRUE" : "FALSE"}${typeof ca === "string" ? ca : ""}`;
  const signer = authorityId
    ? `authorityKeyIdentifier=DER:${Buffer.concat([Buffer.of(0x30, 6, 0x80, 4), Buffer.from(authorityId, "hex")]).toString("hex")}`
    : "";
  writeFileSync(
    join(folder, file),
    `[req]\ndistinguished_name=dn\n[dn]\n[x]\n${constraints}\nsubjectKeyIdentifier=${id}\n${signer}\n${more}\n`,
  );
  const whom = by ? ["-CA", `${by}.pem`, "-CAkey", `${by}.key`] : [];
  const files = [
    "-nodes",
    "-keyout",
    `${name}.key`,
    "-out",
    `${name}.pem`,
    "-config",
    file,
    "-extensions",
    "x",
    "-subj",
    `/CN=${cn}`,
  ];
  openssl("req", "-x509", ...key, ...files, ...whom, "-days", String(days), ...sign);
}

const id = "01020304";
beforeAll(() => {
  make("root", { ca: true, id });
  make("issuing", { by: "root", ca: ",pathlen:0" });
  make("leaf", { by: "issuing" });
  make("direct", { by: "root", authorityId: id });
  // another key with the same name and key identifier
  make("false", { cn: "root", ca: true, id });
  make("forged", { by: "false", authorityId: id });
});

/** Roots that are only pasted, not roots of this server. */
const pasted: ReadonlySet<string> = new Set(["false"]);
/** Returns the verification result of the first certificate, given the others. */
const said = (...names: readonly string[]): Promise<string> => saidIn(0, ...names);
/**
 * Returns the verification result of one certificate, a number of days from now. All self-issued
 * certificates except `pasted` are known roots.
 */
async function saidIn(days: number, ...names: readonly string[]): Promise<string> {
  const views = await Promise.all(names.map(read));
  const known = views.filter(({ selfIssued }, i) => selfIssued && !pasted.has(names[i] ?? ""));
  const { standing, text } = (
    await verifyCertificates(views, new Date(Date.now() + days * 86_400_000), {
      certificates: known,
    })
  ).get(views[0] as CertificateView) ?? {
    standing: "none",
    text: "",
  };
  return `${standing}: ${text}`;
}

it("a certificate counts as verified up to the root only if every issuer is given, in any order", async () => {
  expect(await said("leaf", "root", "issuing")).toBe("chain: Chain verified");
  expect(await said("leaf", "issuing", "root")).toBe("chain: Chain verified");
  expect(await said("leaf", "issuing")).toBe("signature: Signature verified");
  expect(await said("root")).toBe("self: Self-signed");
});

it("a leaf signed by another key with the name and key identifier of the real root does not verify", async () => {
  expect(await said("forged", "root")).toBe("refused: Signature does not verify");
  expect(await said("direct", "root")).toBe("chain: Chain verified");
  expect(await said("direct", "root", "false")).toBe("chain: Chain verified");
});

it("a certificate without its issuer is not verified, nor with a namesake that has another key identifier", async () => {
  expect(await said("leaf")).toBe("unknown: Not verified");
  expect(await said("leaf", "root")).toBe("unknown: Not verified");
  make("namesake", { cn: "root", ca: true, id: "0a0b0c0d" });
  expect(await said("direct", "namesake")).toBe("unknown: Not verified");
});

it("a certificate of a forged CA does not verify with the real root", async () => {
  make("middle", { by: "false", ca: true, authorityId: id });
  make("under", { by: "middle" });
  expect(await said("under", "middle", "root")).toBe("refused: Chain does not verify");
});

it("a certificate is rejected if its issuer is not a CA or exceeds a path length, although the signature is valid", async () => {
  make("below", { by: "direct" });
  expect(await said("below", "direct", "root")).toBe("refused: The issuer is not a CA");
  make("deep", { by: "issuing", ca: true });
  expect(await said("deep", "issuing", "root")).toBe("refused: Chain is too long");
  make("deeper", { by: "deep" });
  expect(await said("deeper", "deep", "issuing", "root")).toBe("refused: Chain does not verify");
});

it("a SHA-1 signature does not verify, even by the right key", async () => {
  make("sha1", { by: "root", sign: ["-sha1"] });
  expect(await said("sha1", "root")).toBe("refused: Signed with SHA-1");
  expect(await said("sha1")).toBe("refused: Signed with SHA-1");
  make("old", { ca: true, sign: ["-sha1"] });
  make("new", { by: "old" });
  expect(await said("old")).toBe("unknown: Self-signed, SHA-1");
  expect(await said("new", "old")).toBe("chain: Chain verified");
});

it("a chain through an expired CA is out of date", async () => {
  make("short", { ca: true, days: 50 });
  make("long", { by: "short" });
  expect(await saidIn(49, "long", "short")).toBe("chain: Chain verified");
  expect(await saidIn(51, "long", "short")).toBe("stale: Chain is out of date");
  expect(await saidIn(201, "leaf", "issuing")).toBe("stale: Chain is out of date");
});

it.each([
  ["RSA", ["-newkey", "rsa:2048"], []],
  [
    "RSA with PSS",
    ["-newkey", "rsa:2048"],
    [
      "-sigopt",
      "rsa_padding_mode:pss",
      "-sigopt",
      "rsa_pss_saltlen:32",
      "-sigopt",
      "rsa_mgf1_md:sha256",
    ],
  ],
  ["P-224", ec("P-224"), []],
  ["P-384", ec("P-384"), ["-sha384"]],
  ["P-521", ec("P-521"), ["-sha512"]],
  ["Ed25519", ["-newkey", "ed25519"], []],
])("%s: valid signatures verify, and forged ones do not", async (kind, key, sign) => {
  const [real, other] = [`${kind} root`, `${kind} other`];
  make(real, { ca: true, key, sign, id });
  make(other, { cn: real, ca: true, key, sign, id });
  make(`${kind} leaf`, { by: real, sign });
  make(`${kind} forged`, { by: other, sign });
  expect(await said(`${kind} leaf`, real)).toBe("chain: Chain verified");
  expect(await said(`${kind} forged`, real)).toBe("refused: Signature does not verify");
});

/** Returns a CRL of an issuer that lists the given certificates. */
async function listOf(by: string, ...revoked: readonly string[]): Promise<CrlView> {
  const serials = await Promise.all(
    revoked.map(async (name) => (await read(name)).serial.toUpperCase()),
  );
  const lines = serials.map((serial) =>
    ["R", "400101000000Z", "260101000000Z,keyCompromise", serial, "unknown", "/CN=x"].join("\t"),
  );
  writeFileSync(join(folder, "index.txt"), lines.map((line) => `${line}\n`).join(""));
  writeFileSync(
    join(folder, "ca.cnf"),
    "[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\ndefault_md=sha256\ndefault_crl_days=9\n",
  );
  openssl(
    "ca",
    "-config",
    "ca.cnf",
    "-gencrl",
    "-keyfile",
    `${by}.key`,
    "-cert",
    `${by}.pem`,
    "-out",
    "list.pem",
  );
  return readCrl(readFileSync(join(folder, "list.pem"), "utf8"));
}

it("a verified CRL revokes a certificate and invalidates those below it; a CRL of a namesake is ignored", async () => {
  const worth = async (crl: CrlView, ...names: readonly string[]): Promise<string | undefined> => {
    const views = await Promise.all(names.map(read));
    const known = views.filter(({ selfIssued }) => selfIssued);
    return (
      await verifyCertificates(views, new Date(), {
        crls: [crl.der],
        certificates: known,
      })
    ).get(views[0] as CertificateView)?.text;
  };
  expect(await worth(await listOf("root", "direct"), "direct", "root")).toBe("Revoked");
  expect(await worth(await listOf("root", "direct"), "direct")).toBe("Not verified");
  expect(await worth(await listOf("root", "issuing"), "leaf", "issuing", "root")).toBe(
    "Chain does not verify",
  );
  expect(await worth(await listOf("root", "leaf"), "direct", "root")).toBe("Chain verified");
  expect(await worth(await listOf("false", "direct"), "direct", "root")).toBe("Chain verified");
});

it("a forged leaf does not verify with the forger's pasted root", async () => {
  expect(await said("forged", "false")).toBe("pasted: Chain ends at a pasted root");
  const views = await Promise.all(["leaf", "issuing", "root"].map(read));
  expect(
    [...(await verifyCertificates(views, new Date())).values()].map(({ standing }) => standing),
  ).toEqual(["pasted", "pasted", "self"]);
  const known = [await read("root"), await read("issuing")];
  expect(
    [
      ...(
        await verifyCertificates([views[0] as CertificateView], new Date(), {
          certificates: known,
        })
      ).values(),
    ][0]?.standing,
  ).toBe("chain");
  expect(headline("valid", { standing: "pasted", text: "x", why: "" })[0]?.tone).toBe("");
  const whyOf = async (context: object): Promise<string | undefined> =>
    (await verifyCertificates(views, new Date(), context)).get(views[0] as CertificateView)?.why;
  expect(await whyOf({})).toContain("but that root is not a current root of this server");
  expect(await whyOf({ uncompared: "you are not signed in" })).toMatch(
    /valid\. The root was not compared with those of this server: you are not signed in$/,
  );
});

it("an unknown critical extension is rejected in a certificate and in every CA above it", async () => {
  const more = "1.2.3.4=critical,DER:0500";
  make("odd", { by: "root", more });
  expect(await said("odd", "root")).toBe("refused: Unknown critical extension");
  make("oddca", { by: "root", ca: true, more });
  make("belowodd", { by: "oddca" });
  expect(await said("belowodd", "oddca", "root")).toBe("refused: Chain does not verify");
  make("oddroot", { ca: true, more });
  make("belowoddroot", { by: "oddroot" });
  expect(await said("belowoddroot", "oddroot")).toBe("refused: Chain does not verify");
});

it("names outside the name constraints of any CA above are rejected", async () => {
  make("narrow", {
    by: "root",
    ca: true,
    more: "nameConstraints=critical,permitted;DNS:corp.test",
  });
  make("middleman", { by: "narrow", ca: true });
  make("inside", { by: "middleman", more: "subjectAltName=DNS:a.corp.test" });
  make("outside", { by: "middleman", more: "subjectAltName=DNS:a.other.test" });
  expect(await said("inside", "middleman", "narrow", "root")).toBe("chain: Chain verified");
  expect(await said("outside", "middleman", "narrow", "root")).toBe("refused: Name not allowed");
  expect(await said("outside", "root", "narrow", "middleman")).toBe("refused: Name not allowed");
});

it("an issuer name with other string types matches, and a forged signature with it fails", async () => {
  make("printable", { cn: "One Name", ca: true, id });
  make("utf8", { cn: "One Name", ca: true, id });
  const der = Buffer.from((await read("printable")).der);
  const at = der.indexOf(Buffer.from("0c084f6e65204e616d65", "hex"));
  expect(at).toBeGreaterThan(0);
  for (let i = at; i > 0; i = der.indexOf(Buffer.from("0c084f6e65204e616d65", "hex")))
    der[i] = 0x13;
  make("bogus", { by: "utf8", authorityId: id });
  const [bogus, issuer] = [await read("bogus"), await readCertificate(new Uint8Array(der))];
  expect((await verifyCertificates([bogus, issuer], new Date())).get(bogus)?.text).toBe(
    "Signature does not verify",
  );
  make("genuine", { by: "printable", authorityId: id });
  const genuine = await read("genuine");
  expect((await verifyCertificates([genuine, issuer], new Date())).get(genuine)?.text).not.toBe(
    "Not verified",
  );
});

it("an expired certificate or CRL shows no success next to its expiry, and an unverified one is not shown as valid", () => {
  const chain = { standing: "chain", text: "Chain verified", why: "" } as const;
  for (const [state, text] of [
    ["expired", "Expired"],
    ["future", "Not yet valid"],
  ] as const) {
    const shown = headline(state, chain);
    expect(shown.map((remark) => remark.text)).toEqual([text, "Chain verified"]);
    expect(shown.map(({ tone }) => tone)).not.toContain("ok");
  }
  expect(headline("valid", chain)).toEqual([{ text: "Chain verified", tone: "ok", mark: "check" }]);
  const now = new Date();
  expect(
    crlHeadline(new Date(now.getTime() - 1), now, chain).map(({ text, tone }) => `${tone} ${text}`),
  ).toEqual(["warn Out of date", " Chain verified"]);
  expect(crlHeadline(new Date(now.getTime() + 1), now, undefined)).toEqual([]);
  expect(expiryText("valid", "in 3 days")).toBe("Not expired; expires in 3 days");
  expect(expiryText("expired", "3 days ago")).toBe("3 days ago");
});

it("a CRL is verified with the given certificates, like a certificate", async () => {
  const list = async (by: string): Promise<string> => {
    const view = await listOf(by);
    const { standing, text } = await verifyCrl(view, [await read("root")]);
    return `${standing}: ${text}`;
  };
  expect(await list("root")).toBe("signature: Signature verified");
  expect(await list("false")).toBe("refused: Signature does not verify");
  expect(await list("issuing")).toBe("unknown: Not verified");
});
