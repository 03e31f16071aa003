import { expect, it } from "vitest";
import { findEntry, loadCrl } from "../../src/verify/loaded-crl.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { crlOf, issue } from "./hierarchy.ts";

it("the index of a CRL takes no memory for the name of its issuer in each entry", async () => {
  const ca = await issue("C".repeat(10_000), undefined, { ca: true });
  const listed = await issue("leaf", ca, { serial: 77 });
  const other = await issue("leaf", ca, { serial: 400_000 });
  const serials = Array.from({ length: 30_000 }, (_, i) => i + 1);
  const list = loadCrl(await crlOf(ca, serials));
  const find = ({ der }: typeof listed) =>
    findEntry(list, { certificate: parseCertificate(der), issuer: list.issuer });
  const before = process.memoryUsage().heapUsed;
  for (const search of ["first", "second", "third"])
    expect([search, find(listed)?.reason, find(other)]).toEqual([search, 1, undefined]);
  expect((process.memoryUsage().heapUsed - before) / 1e6).toBeLessThan(120);
});
