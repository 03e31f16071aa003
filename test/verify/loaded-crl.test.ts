import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { findEntry, loadCrl } from "../../src/verify/loaded-crl.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { crlOf, issue } from "./hierarchy.ts";

/** Returns the size of the used heap in MB, after a garbage collection. */
function usedMegabytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc()");
  return process.memoryUsage().heapUsed / 1e6;
}

it("the index of a CRL does not store the name of the issuer with each entry", async () => {
  const ca = await issue("C".repeat(10_000), undefined, { ca: true });
  const listed = await issue("leaf", ca, { serial: 77 });
  const other = await issue("leaf", ca, { serial: 400_000 });
  const serials = Array.from({ length: 30_000 }, (_, i) => i + 1);
  const list = loadCrl(await crlOf(ca, serials));
  const find = ({ der }: typeof listed) =>
    findEntry(list, { certificate: parseCertificate(der), issuer: list.issuer });
  const before = usedMegabytes();
  for (const search of ["first", "second", "third"])
    expect([search, find(listed)?.reason, find(other)]).toEqual([search, 1, undefined]);
  expect(usedMegabytes() - before).toBeLessThan(20);
  expect(find(listed)?.reason).toBe(1);
});
