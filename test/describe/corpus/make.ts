/**
 * Writes `corpus.jsonl`: certificates, CRLs and CSRs made by openssl and Go, each with the output of
 * `openssl -text`. Run it by hand after a change: `node test/describe/corpus/make.ts`.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "sealwright-corpus-"));
const openssl = (...args: string[]): string =>
  execFileSync("openssl", args, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return name;
};

const ec = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
openssl("genpkey", "-algorithm", ...ec, "-out", "ca.key");
openssl("genpkey", "-algorithm", ...ec, "-out", "one.key");
const base = "[req]\ndistinguished_name=dn\n[dn]\n";
write("ca.conf", `${base}[ext]\nbasicConstraints=critical,CA:true\nsubjectKeyIdentifier=hash\n`);
const days = ["-days", "3650"];
openssl(
  "req",
  "-x509",
  "-config",
  "ca.conf",
  "-extensions",
  "ext",
  "-key",
  "ca.key",
  "-subj",
  "/C=DE/O=Example/CN=OpenSSL CA",
  ...days,
  "-out",
  "ca.pem",
);

type Item = readonly [name: string, pem: string];
const subject = "/CN=one.test";

/** Issues a certificate with these lines of openssl configuration, which sections may follow. */
function certificate(
  name: string,
  extensions: string,
  { subj = subject, key = "one.key" } = {},
): Item {
  const config = write("one.conf", `${base}[ext]\n${extensions}\n`);
  openssl("req", "-new", "-config", config, "-key", key, "-subj", subj, "-out", "one.csr");
  openssl(
    "x509",
    "-req",
    "-in",
    "one.csr",
    "-CA",
    "ca.pem",
    "-CAkey",
    "ca.key",
    "-set_serial",
    "0x1234567890abcdef",
    ...days,
    "-extfile",
    config,
    "-extensions",
    "ext",
    "-out",
    "one.pem",
  );
  return [`openssl: ${name}`, readFileSync(join(folder, "one.pem"), "utf8")];
}

function request(name: string, extensions: string, attributes = ""): Item {
  const config = write(
    "two.conf",
    `[req]\ndistinguished_name=dn\nprompt=no\nreq_extensions=ext\n${attributes && "attributes=attr\n"}[dn]\nCN=two.test\n${attributes && `[attr]\n${attributes}\n`}[ext]\n${extensions}\n`,
  );
  return [`openssl: ${name}`, openssl("req", "-new", "-config", config, "-key", "one.key")];
}

function crl(name: string, extensions: string, entries: readonly string[]): Item {
  write(
    "index.txt",
    entries.map((entry) => `R\t351231235959Z\t${entry}\tunknown\t/CN=x\n`).join(""),
  );
  write("number", "1001\n");
  const config = write(
    "crl.conf",
    `[ca]\ndefault_ca=c\n[c]\ndatabase=index.txt\ncrlnumber=number\ndefault_md=sha256\ndefault_crl_days=3650\n[ext]\n${extensions}\n`,
  );
  return [
    `openssl: ${name}`,
    openssl(
      "ca",
      "-config",
      config,
      "-gencrl",
      "-crlexts",
      "ext",
      "-cert",
      "ca.pem",
      "-keyfile",
      "ca.key",
    ),
  ];
}

const keys = [
  ["Ed448", ["-algorithm", "ED448"]],
  ["secp256k1", ["-algorithm", "ec", "-pkeyopt", "ec_paramgen_curve:secp256k1"]],
  ["brainpoolP256r1", ["-algorithm", "ec", "-pkeyopt", "ec_paramgen_curve:brainpoolP256r1"]],
  ["RSA-PSS", ["-algorithm", "rsa-pss", "-pkeyopt", "rsa_keygen_bits:2048"]],
  ["RSA 1024", ["-algorithm", "rsa", "-pkeyopt", "rsa_keygen_bits:1024"]],
  [
    "P-384 with explicit parameters",
    [
      "-algorithm",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-384",
      "-pkeyopt",
      "ec_param_enc:explicit",
    ],
  ],
] as const;

const items: readonly Item[] = [
  certificate(
    "usages of a CA",
    "keyUsage=critical,keyCertSign,cRLSign,decipherOnly,keyAgreement\nbasicConstraints=critical,CA:true,pathlen:3\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid,issuer:always",
  ),
  certificate(
    "purposes",
    "extendedKeyUsage=critical,serverAuth,clientAuth,msSmartcardLogin,pkInitKDC,pkInitClientAuth,ipsecIKE,msEFS,msCodeInd,msCodeCom,msCTLSign,anyExtendedKeyUsage,1.3.6.1.5.5.7.3.23,1.3.6.1.5.5.7.3.21,1.3.6.1.5.5.7.3.18,1.2.3.4,1.3.6.1.5.5.7.3.31,1.3.6.1.4.1.311.10.3.12",
  ),
  certificate(
    "names of every kind",
    "subjectAltName=DNS:a.test,IP:192.0.2.1,IP:2001:db8::1,email:a@a.test,URI:http://a.test/x,RID:1.2.3.4,dirName:dir,otherName:1.3.6.1.4.1.311.20.2.3;UTF8:user@a.test,otherName:1.3.6.1.5.5.7.8.7;IA5:_imap.a.test,otherName:1.3.6.1.5.5.7.8.9;UTF8:ü@a.test,otherName:1.3.6.1.5.5.7.8.5;UTF8:x@a.test,otherName:1.2.3.9;UTF8:other text\n[dir]\nC=DE\nO=Dir",
  ),
  certificate(
    "NAI realm and issuer names",
    "subjectAltName=otherName:1.3.6.1.5.5.7.8.8;UTF8:a.test\nissuerAltName=DNS:ca.test,URI:http://ca.test,email:ca@ca.test",
  ),
  certificate(
    "access",
    "authorityInfoAccess=OCSP;URI:http://ocsp.test,caIssuers;URI:http://ca.test/ca,1.3.6.1.5.5.7.48.4;URI:http://dvcs.test,caIssuers;dirName:dir\nsubjectInfoAccess=caRepository;URI:http://repo.test,1.3.6.1.5.5.7.48.3;URI:http://time.test\n[dir]\nCN=Issuer",
  ),
  certificate(
    "distribution points",
    "crlDistributionPoints=p1,p2,p3\nfreshestCRL=URI:http://crl.test/delta\n[p1]\nfullname=URI:http://crl.test/1\nreasons=keyCompromise,CACompromise,AACompromise\n[p2]\nfullname=URI:http://crl.test/2,dirName:dir\nCRLissuer=dirName:dir\n[p3]\nrelativename=rel\n[rel]\nCN=relative\n[dir]\nCN=CRL Issuer",
  ),
  certificate(
    "policies with qualifiers",
    "certificatePolicies=1.2.3.4,2.5.29.32.0,2.23.140.1.2.2,@pol\n[pol]\npolicyIdentifier=1.3.5.8\nCPS.1=http://cps.test/\nuserNotice.1=@notice\n[notice]\nexplicitText=UTF8:Notice Text\norganization=Notice Org\nnoticeNumbers=1,2",
  ),
  certificate(
    "rules for policies",
    "policyConstraints=requireExplicitPolicy:3,inhibitPolicyMapping:0\ninhibitAnyPolicy=2\npolicyMappings=1.2.3.4:1.2.3.5,1.2.3.6:1.2.3.7",
  ),
  certificate(
    "name constraints",
    "nameConstraints=critical,permitted;DNS:.a.test,permitted;IP:10.0.0.0/255.0.0.0,permitted;email:.a.test,excluded;URI:.b.test,permitted;dirName:dir,excluded;IP:2001:db8::/ffff:ffff::\n[dir]\nO=Permitted",
  ),
  certificate("TLS features", "tlsfeature=status_request,status_request_v2,9"),
  certificate(
    "Netscape",
    "nsCertType=client,server,email,objsign,sslCA,emailCA,objCA\nnsComment=A comment\nnsBaseUrl=http://base.test\nnsRevocationUrl=/rev\nnsCaRevocationUrl=/carev\nnsRenewalUrl=/renew\nnsCaPolicyUrl=/policy\nnsSslServerName=ssl.test",
  ),
  certificate("responder", "extendedKeyUsage=OCSPSigning\nnoCheck=ignored"),
  certificate(
    "proxy",
    "proxyCertInfo=critical,language:id-ppl-anyLanguage,pathlen:2,policy:text:AB",
  ),
  certificate(
    "number resources",
    "sbgp-ipAddrBlock=critical,IPv4:10.0.0.0/8,IPv4:192.0.2.1-192.0.2.9,IPv6:2001:db8::/32\nsbgp-autonomousSysNum=critical,AS:64496,AS:64500-64511,RDI:inherit",
  ),
  certificate(
    "inherited number resources",
    "sbgp-ipAddrBlock=critical,IPv4:inherit,IPv6:inherit\nsbgp-autonomousSysNum=AS:inherit",
  ),
  certificate(
    "usage period",
    "2.5.29.16=ASN1:SEQUENCE:period\n[period]\nfrom=IMPLICIT:0,GENERALIZEDTIME:20260102030405Z\nuntil=IMPLICIT:1,GENERALIZEDTIME:20270102030405Z",
  ),
  certificate(
    "directory attributes",
    "2.5.29.9=ASN1:SEQUENCE:attrs\n[attrs]\na=SEQUENCE:birth\nb=SEQUENCE:country\n[birth]\ntype=OID:1.3.6.1.5.5.7.9.1\nv=SET:birthv\n[birthv]\nx=GENERALIZEDTIME:19700102030405Z\n[country]\ntype=OID:1.3.6.1.5.5.7.9.4\nv=SET:countryv\n[countryv]\nx=PRINTABLESTRING:DE",
  ),
  certificate(
    "qualified statements",
    "1.3.6.1.5.5.7.1.3=ASN1:SEQUENCE:qc\n[qc]\na=SEQUENCE:q1\nb=SEQUENCE:q2\nc=SEQUENCE:q3\nd=SEQUENCE:q4\ne=SEQUENCE:q5\n[q1]\no=OID:0.4.0.1862.1.1\n[q2]\no=OID:0.4.0.1862.1.2\nv=SEQUENCE:limit\n[limit]\nc=PRINTABLESTRING:EUR\na=INTEGER:5\ne=INTEGER:3\n[q3]\no=OID:0.4.0.1862.1.6\nv=SEQUENCE:types\n[types]\nt=OID:0.4.0.1862.1.6.3\n[q4]\no=OID:0.4.0.1862.1.5\nv=SEQUENCE:pds\n[pds]\np=SEQUENCE:pds1\n[pds1]\nu=IA5STRING:https://pds.test\nl=PRINTABLESTRING:en\n[q5]\no=OID:1.3.6.1.5.5.7.11.2\nv=SEQUENCE:sem\n[sem]\ns=OID:0.4.0.194121.1.2",
  ),
  certificate(
    "biometric information",
    "1.3.6.1.5.5.7.1.2=ASN1:SEQUENCE:bio\n[bio]\na=SEQUENCE:pic\n[pic]\nt=INTEGER:0\nh=SEQUENCE:hash\nv=FORMAT:HEX,OCTETSTRING:0102030405\nu=IA5STRING:http://pic.test\n[hash]\no=OID:SHA256",
  ),
  certificate(
    "S/MIME capabilities",
    "1.2.840.113549.1.9.15=ASN1:SEQUENCE:caps\n[caps]\na=SEQUENCE:aes\nb=SEQUENCE:rc2\n[aes]\no=OID:2.16.840.1.101.3.4.1.42\n[rc2]\no=OID:1.2.840.113549.3.2\nk=INTEGER:128",
  ),
  certificate(
    "Microsoft",
    "1.3.6.1.4.1.311.20.2=ASN1:BMPSTRING:WebServer\n1.3.6.1.4.1.311.21.1=ASN1:INTEGER:0\n1.3.6.1.4.1.311.21.7=ASN1:SEQUENCE:tpl\n1.3.6.1.4.1.311.21.10=ASN1:SEQUENCE:app\n1.3.6.1.4.1.311.25.2=ASN1:SEQUENCE:sid\n[tpl]\no=OID:1.3.6.1.4.1.311.21.8.1.2.3\nm=INTEGER:100\nn=INTEGER:4\n[app]\na=SEQUENCE:app1\n[app1]\no=OID:1.3.6.1.4.1.311.20.2.2\n[sid]\nn=IMPLICIT:0,SEQUENCE:sid1\n[sid1]\no=OID:1.3.6.1.4.1.311.25.2.1\nv=EXPLICIT:0,OCTETSTRING:S-1-5-21-1-2-3-500",
  ),
  certificate(
    "organization identifier",
    "2.23.140.3.1=ASN1:SEQUENCE:org\n[org]\ns=PRINTABLESTRING:VAT\nc=PRINTABLESTRING:DE\nr=UTF8String:12345",
  ),
  certificate(
    "ACME identifier",
    "1.3.6.1.5.5.7.1.31=critical,ASN1:FORMAT:HEX,OCTETSTRING:0102030405060708091011121314151617181920212223242526272829303132",
  ),
  certificate(
    "unknown extensions",
    "1.2.3.4.5=ASN1:UTF8String:hello\n1.2.3.4.6=critical,DER:30030201ff",
  ),
  certificate(
    "SET root key and Entrust version",
    "2.23.42.7.0=DER:0500\n1.2.840.113533.7.65.0=ASN1:SEQUENCE:ent\n[ent]\nv=GENERALSTRING:V8.1",
  ),
  certificate("an EV subject", "basicConstraints=CA:false", {
    subj: "/businessCategory=Private Organization/jurisdictionC=DE/jurisdictionST=Hessen/jurisdictionL=Frankfurt/serialNumber=HRB 1/organizationIdentifier=VATDE-1/C=DE/ST=Hessen/L=Frankfurt/street=Way 1/postalCode=60311/O=Example/OU=Unit/CN=ev.test",
  }),
  certificate("a person", "basicConstraints=CA:false", {
    subj: "/dnQualifier=q/initials=A/pseudonym=p/GN=Ada/SN=Example/title=Dr/generationQualifier=II/name=Ada Example/description=d/UID=u1/DC=test/DC=a/emailAddress=a@a.test/unstructuredName=un/x500UniqueIdentifier=x/role=r/mail=m@a.test/telephoneNumber=1/CN=Ada",
  }),
  ...keys.map(([name, args]) => {
    openssl("genpkey", ...args, "-out", "key.pem");
    return certificate(`key ${name}`, "basicConstraints=CA:false", { key: "key.pem" });
  }),
  request(
    "CSR with extensions",
    "subjectAltName=DNS:two.test,otherName:1.3.6.1.4.1.311.20.2.3;UTF8:u@a.test\nkeyUsage=digitalSignature\nextendedKeyUsage=clientAuth\ntlsfeature=status_request",
  ),
  request(
    "CSR with attributes",
    "basicConstraints=CA:false",
    "challengePassword=secret12\nunstructuredName=unstructured",
  ),
  crl("CRL with entries", "authorityKeyIdentifier=keyid,issuer\nissuerAltName=DNS:ca.test", [
    "260102030405Z,keyCompromise\t10",
    "260102030405Z,holdInstruction,holdInstructionReject\t11",
    "260102030405Z,keyTime,20250102030405Z\t12",
    "260102030405Z,CACompromise,20250102030405Z\t13",
    "260102030405Z\t14",
    "260102030405Z,superseded\t15",
  ]),
  crl(
    "CRL with a scope",
    "issuingDistributionPoint=critical,@idp\nfreshestCRL=URI:http://crl.test/delta\n[idp]\nfullname=URI:http://crl.test/idp\nonlyuser=TRUE\nonlysomereasons=keyCompromise,CACompromise",
    [],
  ),
  crl(
    "indirect CRL of CAs",
    "issuingDistributionPoint=critical,@idp\n[idp]\nindirectCRL=TRUE\nonlyCA=TRUE",
    ["260102030405Z\t10"],
  ),
  crl(
    "delta CRL",
    "2.5.29.27=critical,ASN1:INTEGER:4096\nauthorityInfoAccess=caIssuers;URI:http://ca.test/ca",
    [],
  ),
  crl("CRL with expired certificates", "2.5.29.60=ASN1:GENERALIZEDTIME:20200102030405Z", []),
];

const go = execFileSync("go", ["run", join(import.meta.dirname, "make.go")], { encoding: "utf8" });
const made: readonly Item[] = [
  ...go.matchAll(/^(go: .*)\n(-----BEGIN[^]*?-----END [^\n]*\n)/gm),
].map(([, name = "", pem = ""]) => [name, pem]);

const commands = { CERTIFICATE: "x509", "CERTIFICATE REQUEST": "req", "X509 CRL": "crl" };
const lines = [...items, ...made].map(([name, pem]) => {
  const [, label = ""] = /-----BEGIN ([^-]*)-----/.exec(pem) ?? [];
  const command = Object.entries(commands).find(([one]) => one === label)?.[1] ?? "x509";
  const text = openssl(
    command,
    "-noout",
    "-text",
    "-nameopt",
    "oneline",
    "-in",
    write("read.pem", pem),
  );
  // key bytes and signatures are not compared
  const kept = text.replace(
    /\n +(?:pub|Modulus|Prime|A|B|Generator \(uncompressed\)|Signature Value):\n(?: +(?:[0-9a-f]{2}:?)+\n)+/g,
    "\n",
  );
  return JSON.stringify({
    name,
    pem: pem.slice(pem.indexOf("-----BEGIN")).trim(),
    text: kept.trimEnd(),
  });
});
writeFileSync(join(import.meta.dirname, "corpus.jsonl"), `${lines.join("\n")}\n`);
rmSync(folder, { recursive: true, force: true });
