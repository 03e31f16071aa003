import { expect, it } from "vitest";
import { encodePem } from "../../src/base/pem.ts";
import { certificateList } from "../../src/log/tree/certificate-list.ts";
import type { Entry } from "../../src/log/tree/entry.ts";
import { noNames, subjectAltName } from "../../src/x509/san.ts";
import { nameOid } from "../../src/x509/oid.ts";
import { csrOf } from "../est/world.ts";
import { derOf } from "../pki/reading.ts";
import { authority } from "../support/authority.ts";

it("certificateList finds certificates by user principal names, otherNames, devices and the subject's serial number", async () => {
  const a = authority();
  await a.root();
  const names = subjectAltName(
    {
      ...noNames,
      other: [
        { oid: "1.3.6.1.4.1.311.20.2.3", value: "alice@corp.example" },
        { oid: "1.2.3.4", value: "badge 7" },
      ],
      device: [
        { type: "permanent-identifier", value: "C02XG0FDJG5J" },
        { type: "hardware-module", value: "0042/1.2.3" },
      ],
    },
    true,
  );
  const csr = await csrOf({
    subject: [[{ oid: nameOid.serialNumber, value: "S-1" }]],
    extensions: [names],
  });
  const { certificate } = await a.pki.signVerbatim({ csr: encodePem("CERTIFICATE REQUEST", csr) });
  const entry: Entry = {
    type: "certificate",
    time: 0,
    key: new Uint8Array(32),
    signed: { der: derOf(certificate) },
  };
  const countOf = (name: string): number => {
    const { visit, listed } = certificateList(name);
    visit(entry, 0);
    return listed.length;
  };
  const own = ["alice@corp.example", "badge 7", "C02XG0FDJG5J", "0042/1.2.3", "0042", "S-1"];
  expect(own.filter((name) => countOf(name) !== 1)).toEqual([]);
  expect(["bob@corp.example", "badge", "C02XG0FDJG5K", "1.2.3", "S-2"].map(countOf)).toEqual(
    Array(5).fill(0),
  );
});
