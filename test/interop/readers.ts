import "reflect-metadata";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { AsnConvert } from "@peculiar/asn1-schema";
import * as asn1 from "@peculiar/asn1-x509";
import { X509Certificate } from "@peculiar/x509";
import { toHex } from "../../src/base/bytes.ts";
import { openssl, withFiles } from "../x509/fixture.ts";

/** A policy of a certificate. */
export interface PolicyFact {
  readonly oid: string;
  readonly cps?: string;
  readonly notice?: string;
}
/** The fields of a certificate, in a form to which the output of every parser can be converted. */
export interface Facts {
  /** Hexadecimal. */
  readonly serial: string;
  /** RDNs in order, each `<oid>=<value>`, the values of one joined by ` + `. */
  readonly subject: readonly string[];
  readonly issuer: readonly string[];
  /** Unix seconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly signature: string;
  /** `ec 256`, `rsa 2048`, `ed25519`. */
  readonly key: string;
  /** True if the signature verifies with the issuer's key. */
  readonly verified: boolean;
  /** Object identifiers in order, with the suffix ` critical` if they are. */
  readonly extensions: readonly string[];
  readonly usage: readonly string[];
  readonly purposes: readonly string[];
  /** `ca true 2`, `ca false`, or empty. */
  readonly basic: string;
  readonly ski: string;
  readonly aki: string;
  readonly ocsp: readonly string[];
  readonly issuers: readonly string[];
  readonly crl: readonly string[];
  readonly delta: readonly string[];
  /** `dns a.test`, `other 1.2.3 text`. */
  readonly names: readonly string[];
  readonly policies: readonly PolicyFact[];
  readonly permitted: readonly string[];
  readonly excluded: readonly string[];
}
/** Extracts the facts that it can read from certificates, given in PEM with their issuers. */
export type Reader = (
  pairs: readonly (readonly [certificate: string, issuer: string])[],
) => readonly Partial<Facts>[] | Promise<readonly Partial<Facts>[]>;

const usages = [
  "DigitalSignature",
  "ContentCommitment",
  "KeyEncipherment",
  "DataEncipherment",
  "KeyAgreement",
  "CertSign",
  "CRLSign",
  "EncipherOnly",
  "DecipherOnly",
];
const inner = <T>(bytes: ArrayBuffer, type: new () => T): T => AsnConvert.parse(bytes, type);
/** Shortens an IPv6 address as the URL standard does, which is RFC 5952. */
const short = (address: string): string =>
  address.includes(":") ? new URL(`http://[${address}]/`).hostname.slice(1, -1) : address;
const prefix = (mask: Uint8Array): number =>
  mask.reduce((sum, byte) => sum + byte.toString(2).replaceAll("0", "").length, 0);
const rdns = (name: asn1.Name): readonly string[] =>
  [...name].map((set) =>
    [...set].map(({ type, value }) => `${type}=${value.toString()}`).join(" + "),
  );
function general(name: asn1.GeneralName, ranges = false): string {
  if (name.otherName)
    return `other ${name.otherName.typeId} ${inner(name.otherName.value, asn1.DirectoryString).toString()}`;
  if (name.rfc822Name !== undefined) return `email ${name.rfc822Name}`;
  if (name.dNSName !== undefined) return `dns ${name.dNSName}`;
  if (name.uniformResourceIdentifier !== undefined) return `uri ${name.uniformResourceIdentifier}`;
  if (name.directoryName) return `directory ${rdns(name.directoryName).join(", ")}`;
  const address = String(name.iPAddress);
  return `ip ${ranges ? address : short(address)}`;
}
const points = (list: readonly asn1.DistributionPoint[]): readonly string[] =>
  list.flatMap((point) =>
    (point.distributionPoint?.fullName ?? []).map((url) => general(url).replace(/^uri /, "")),
  );

/** Reads with `@peculiar/x509` and its ASN.1 schemas. */
export const peculiar: Reader = async (pairs) =>
  Promise.all(
    pairs.map(async ([pem, issuer]) => {
      const whole = new X509Certificate(pem);
      const { tbsCertificate: tbs } = inner(whole.rawData, asn1.Certificate);
      const list = tbs.extensions ?? [];
      const value = <T>(oid: string, type: new () => T): T | undefined => {
        const found = list.find(({ extnID }) => extnID === oid);
        return found && inner(found.extnValue.buffer, type);
      };
      const [access, constraints, basic] = [
        value("1.3.6.1.5.5.7.1.1", asn1.AuthorityInfoAccessSyntax),
        value("2.5.29.30", asn1.NameConstraints),
        value("2.5.29.19", asn1.BasicConstraints),
      ];
      const places = (method: string) =>
        [...(access ?? [])]
          .filter(({ accessMethod }) => accessMethod === method)
          .map(({ accessLocation }) => general(accessLocation).slice(4));
      const trees = (all: Iterable<asn1.GeneralSubtree> | undefined) =>
        [...(all ?? [])].map(({ base }) => general(base, true));
      const bits = value("2.5.29.15", asn1.KeyUsage)?.toNumber() ?? 0;
      return {
        serial: toHex(new Uint8Array(tbs.serialNumber)),
        subject: rdns(tbs.subject),
        issuer: rdns(tbs.issuer),
        notBefore: tbs.validity.notBefore.getTime().getTime() / 1000,
        notAfter: tbs.validity.notAfter.getTime().getTime() / 1000,
        verified: await whole
          .verify({ publicKey: new X509Certificate(issuer).publicKey, signatureOnly: true })
          .catch(() => undefined),
        extensions: list.map(({ extnID, critical }) => `${extnID}${critical ? " critical" : ""}`),
        usage: usages.filter((_, i) => (bits >> i) & 1),
        purposes: [...(value("2.5.29.37", asn1.ExtendedKeyUsage) ?? [])],
        basic: basic
          ? `ca ${basic.cA}${basic.pathLenConstraint === undefined ? "" : ` ${basic.pathLenConstraint}`}`
          : "",
        ski: toHex(
          new Uint8Array(
            value("2.5.29.14", asn1.SubjectKeyIdentifier)?.buffer ?? new ArrayBuffer(0),
          ),
        ),
        aki: toHex(
          new Uint8Array(
            value("2.5.29.35", asn1.AuthorityKeyIdentifier)?.keyIdentifier?.buffer ??
              new ArrayBuffer(0),
          ),
        ),
        ocsp: places("1.3.6.1.5.5.7.48.1"),
        issuers: places("1.3.6.1.5.5.7.48.2"),
        crl: points([...(value("2.5.29.31", asn1.CRLDistributionPoints) ?? [])]),
        delta: points([...(value("2.5.29.46", asn1.CRLDistributionPoints) ?? [])]),
        names: [...(value("2.5.29.17", asn1.SubjectAlternativeName) ?? [])].map((name) =>
          general(name),
        ),
        policies: [...(value("2.5.29.32", asn1.CertificatePolicies) ?? [])].map(policyOf),
        permitted: trees(constraints?.permittedSubtrees),
        excluded: trees(constraints?.excludedSubtrees),
      };
    }),
  ) as Promise<readonly Partial<Facts>[]>;

function policyOf({ policyIdentifier: oid, policyQualifiers }: asn1.PolicyInformation): PolicyFact {
  const text = (id: string) => {
    const found = policyQualifiers?.find(
      ({ policyQualifierId }) => policyQualifierId === id,
    )?.qualifier;
    return found && new Uint8Array(found);
  };
  const [cps, notice] = [text("1.3.6.1.5.5.7.2.1"), text("1.3.6.1.5.5.7.2.2")];
  // both are short: tag and length take two bytes each
  const ascii = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
  return {
    oid,
    ...(cps ? { cps: ascii(cps.subarray(2)) } : {}),
    ...(notice ? { notice: ascii(notice.subarray(4)) } : {}),
  };
}

const opensslNames: Readonly<Record<string, string>> = {
  "X509v3 Key Usage": "2.5.29.15",
  "X509v3 Extended Key Usage": "2.5.29.37",
  "X509v3 Basic Constraints": "2.5.29.19",
  "X509v3 Subject Key Identifier": "2.5.29.14",
  "X509v3 Authority Key Identifier": "2.5.29.35",
  "Authority Information Access": "1.3.6.1.5.5.7.1.1",
  "X509v3 Subject Alternative Name": "2.5.29.17",
  "X509v3 Certificate Policies": "2.5.29.32",
  "X509v3 Name Constraints": "2.5.29.30",
  "X509v3 CRL Distribution Points": "2.5.29.31",
  "X509v3 Freshest CRL": "2.5.29.46",
};
const opensslUsages: Readonly<Record<string, string>> = {
  "Digital Signature": "DigitalSignature",
  "Non Repudiation": "ContentCommitment",
  "Key Encipherment": "KeyEncipherment",
  "Data Encipherment": "DataEncipherment",
  "Key Agreement": "KeyAgreement",
  "Certificate Sign": "CertSign",
  "CRL Sign": "CRLSign",
  "Encipher Only": "EncipherOnly",
  "Decipher Only": "DecipherOnly",
};
const opensslPurposes: Readonly<Record<string, string>> = {
  "Any Extended Key Usage": "2.5.29.37.0",
  "TLS Web Server Authentication": "1.3.6.1.5.5.7.3.1",
  "TLS Web Client Authentication": "1.3.6.1.5.5.7.3.2",
  "Code Signing": "1.3.6.1.5.5.7.3.3",
  "E-mail Protection": "1.3.6.1.5.5.7.3.4",
  "Time Stamping": "1.3.6.1.5.5.7.3.8",
  "OCSP Signing": "1.3.6.1.5.5.7.3.9",
};
/** Parses a name as openssl prints it. */
function printedName(text: string): string {
  const [, kind = "", value = ""] =
    /^\s*(othername|DNS|email|IP Address|IP|URI|DirName):\s?(.*)$/.exec(text) ?? [];
  if (kind === "othername") {
    const [type = "", content = ""] = value.split("::");
    return `other ${type.trim() === "UPN" ? "1.3.6.1.4.1.311.20.2.3" : type.trim()} ${content}`;
  }
  if (kind === "IP") {
    const [address = "", mask = ""] = value.split("/");
    const bytes = mask.includes(":")
      ? mask
          .split(":")
          .flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255])
      : mask.split(".").map(Number);
    return `ip ${short(address.toLowerCase())}/${prefix(Uint8Array.from(bytes))}`;
  }
  if (kind === "DirName") return `directory ${value}`;
  return `${kind === "IP Address" ? "ip" : kind.toLowerCase()} ${kind === "IP Address" ? short(value.toLowerCase()) : value}`;
}

/** Reads with the installed openssl. */
export const opensslReader: Reader = (pairs) =>
  pairs.map(([pem, issuer]) => {
    const text = openssl(
      ["x509", "-noout", "-text", "-nameopt", "oid,sep_multiline,utf8", "-certopt", "no_sigdump"],
      pem,
    );
    const lines = text.split("\n");
    const below = (heading: RegExp): readonly string[] => {
      const at = lines.findIndex((line) => heading.test(line));
      if (at < 0) return [];
      const depth = /^ */.exec(lines[at] ?? "")?.[0].length ?? 0;
      const end = lines.findIndex(
        (line, i) => i > at && line.trim() !== "" && (/^ */.exec(line)?.[0].length ?? 0) <= depth,
      );
      return lines
        .slice(at + 1, end < 0 ? undefined : end)
        .map((line) => line.trim())
        .filter(Boolean);
    };
    const headings = lines.filter(
      (line) =>
        /^ {12}\S.*: ?(critical)?$/.test(line) &&
        Object.keys(opensslNames).some((name) => line.includes(name)),
    );
    const extension = (oid: string): readonly string[] => {
      const [name = ""] = Object.entries(opensslNames).find(([, one]) => one === oid) ?? [];
      return below(new RegExp(`^ {12}${name}:`));
    };
    const time = (which: string) =>
      Date.parse(new RegExp(`${which} ?: (.*)`).exec(text)?.[1] ?? "") / 1000;
    const key = /Public-Key: \((\d+) bit\)/.exec(text)?.[1];
    const kind = /Public Key Algorithm: (\S+)/.exec(text)?.[1] ?? "";
    const constraints = extension("2.5.29.30");
    const cut =
      constraints.indexOf("Excluded:") < 0 ? constraints.length : constraints.indexOf("Excluded:");
    const urls = (oid: string) =>
      extension(oid).flatMap((line) => (line.startsWith("URI:") ? [line.slice(4)] : []));
    const access = (method: string) =>
      extension("1.3.6.1.5.5.7.1.1").flatMap((line) =>
        line.startsWith(`${method} - URI:`) ? [line.slice(method.length + 7)] : [],
      );
    const basic = extension("2.5.29.19")[0];
    const verified = withFiles({ "issuer.pem": issuer, "leaf.pem": pem }, (path) => {
      try {
        const at = String(time("Not Before"));
        return openssl([
          "verify",
          "-partial_chain",
          "-attime",
          at,
          "-trusted",
          path("issuer.pem"),
          path("leaf.pem"),
        ]).includes("OK");
      } catch {
        return false;
      }
    });
    return {
      serial: below(/Serial Number:/)[0]?.replaceAll(":", "") ?? "",
      subject: below(/^ {8}Subject:/),
      issuer: below(/^ {8}Issuer:/),
      notBefore: time("Not Before"),
      notAfter: time("Not After"),
      key: kind === "ED25519" ? "ed25519" : `${kind === "rsaEncryption" ? "rsa" : "ec"} ${key}`,
      verified,
      extensions: headings.map((line) => {
        const [, oid = ""] =
          Object.entries(opensslNames).find(([name]) => line.trim().startsWith(`${name}:`)) ?? [];
        return `${oid}${line.endsWith("critical") ? " critical" : ""}`;
      }),
      usage: (extension("2.5.29.15")[0]?.split(", ") ?? []).map(
        (name) => opensslUsages[name] ?? name,
      ),
      purposes: (extension("2.5.29.37")[0]?.split(", ") ?? []).map(
        (name) => opensslPurposes[name] ?? name,
      ),
      basic:
        basic === undefined
          ? ""
          : basic
              .replace("CA:TRUE", "ca true")
              .replace("CA:FALSE", "ca false")
              .replace(", pathlen:", " "),
      ski: (extension("2.5.29.14")[0] ?? "").replaceAll(":", "").toLowerCase(),
      aki: (extension("2.5.29.35")[0] ?? "").replaceAll(":", "").toLowerCase(),
      ocsp: access("OCSP"),
      issuers: access("CA Issuers"),
      crl: urls("2.5.29.31"),
      delta: urls("2.5.29.46"),
      names: (extension("2.5.29.17")[0]?.split(", ") ?? []).map(printedName),
      policies: policiesIn(extension("2.5.29.32")),
      permitted: constraints
        .slice(constraints[0] === "Permitted:" ? 1 : 0, constraints[0] === "Permitted:" ? cut : 0)
        .map(printedName),
      excluded: constraints.slice(cut + 1).map(printedName),
    };
  });

function policiesIn(lines: readonly string[]): readonly PolicyFact[] {
  const all: { oid: string; cps?: string; notice?: string }[] = [];
  for (const line of lines) {
    const [, name, value = ""] = /^(Policy|CPS|Explicit Text): (.*)$/.exec(line) ?? [];
    const last = all.at(-1);
    if (name === "Policy") all.push({ oid: value });
    else if (name === "CPS" && last) last.cps = value;
    else if (name === "Explicit Text" && last) last.notice = value;
  }
  return all;
}

/** Reads with Go's standard library. */
export const go: Reader = (pairs) => {
  const environment = {
    ...process.env,
    GO111MODULE: "off",
    GOTOOLCHAIN: "local",
    GOFLAGS: "",
    CGO_ENABLED: "0",
  };
  const input = pairs.flat().map((pem) => `${pem}\n`);
  const output = execFileSync("go", ["run", join(import.meta.dirname, "reader.go")], {
    input: input.join(""),
    encoding: "utf8",
    env: environment,
  });
  return JSON.parse(output) as readonly Facts[];
};

/** Reads with Java's keytool, which lists extensions by object identifier. */
export const keytool: Reader = (pairs) => {
  const all = pairs.map(([pem]) => `${pem}\n`).join("");
  const text = withFiles({ "all.pem": all }, (path) =>
    execFileSync(
      "keytool",
      ["-J-Duser.language=en", "-J-Duser.timezone=UTC", "-printcert", "-file", path("all.pem")],
      { encoding: "utf8" },
    ),
  );
  return text
    .split(/^Certificate\[\d+\]:$/m)
    .slice(1)
    .map(javaFacts);
};

function javaFacts(text: string): Partial<Facts> {
  const [, ...blocks] = text.split(/^#\d+: /m);
  const byOid = new Map(blocks.map((block) => [/^ObjectId: (\S+)/.exec(block)?.[1] ?? "", block]));
  const block = (oid: string): string => byOid.get(oid) ?? "";
  const found = (oid: string, pattern: RegExp) =>
    [...block(oid).matchAll(pattern)].map((match) => match[1] ?? "");
  const bytes = (oid: string) =>
    found(oid, /^[0-9a-f]{4}: ((?:[0-9A-F]{2} +)+)/gm)
      .join("")
      .replaceAll(" ", "")
      .toLowerCase();
  const [, from = "", until = ""] = /Valid from: (.*) until: (.*)/.exec(text) ?? [];
  const basic = block("2.5.29.19");
  const pathLength = /PathLen: ?(\d+)/.exec(basic)?.[1];
  return {
    serial: (/Serial number: ([0-9a-f]+)/.exec(text)?.[1] ?? "").padStart(40, "0"),
    notBefore: Date.parse(from) / 1000,
    notAfter: Date.parse(until) / 1000,
    extensions: blocks.map((one) =>
      one.replace(
        /^ObjectId: (\S+) Criticality=(true|false)[^]*$/,
        (_, oid, flag) => `${oid}${flag === "true" ? " critical" : ""}`,
      ),
    ),
    basic:
      basic === ""
        ? ""
        : `${basic.includes("CA:true") ? "ca true" : "ca false"}${pathLength === undefined ? "" : ` ${pathLength}`}`,
    ski: bytes("2.5.29.14"),
    aki: bytes("2.5.29.35"),
    ocsp: found("1.3.6.1.5.5.7.1.1", /accessMethod: ocsp\s+accessLocation: URIName: (\S+)/g),
    issuers: found(
      "1.3.6.1.5.5.7.1.1",
      /accessMethod: caIssuers\s+accessLocation: URIName: (\S+)/g,
    ),
    crl: found("2.5.29.31", /URIName: ([^\]\s]+)/g),
    delta: found("2.5.29.46", /URIName: ([^\]\s]+)/g),
  };
}
