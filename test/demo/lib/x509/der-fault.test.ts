import { expect, it } from "vitest";
import { findDerFault } from "../../../../demo/lib/x509/der-fault.ts";

it.each([
  ["3003020101", undefined],
  ["30800201010000", "0: the length is indefinite (X.690 10.1)"],
  ["308103020101", "0: the length is not in its shortest form (X.690 10.1)"],
  ["30050201010101", "5: the length is 1, but only 0 bytes follow"],
  ["300602010101010f", "5: a BOOLEAN is neither 00 nor FF (X.690 11.1)"],
  ["300402020001", "2: an INTEGER is not in its shortest form (X.690 8.3.2)"],
  ["300403020401", "2: a BIT STRING has unused bits that are not zero (X.690 11.2.1)"],
  ["3003050100", "2: a NULL is not empty (X.690 8.8)"],
  ["300d170b323630313031303030305a", "2: a UTCTime is not YYMMDDHHMMSSZ (X.690 11.8)"],
  ["300724050403010203", "2: a string or number is split into parts (X.690 10.2)"],
  ["3003020101ffff", "5: 2 bytes follow the structure"],
])("the DER fault of %s is %s", (hex, expected) => {
  const fault = findDerFault(Uint8Array.from(Buffer.from(hex, "hex")));
  expect(fault && `${fault.at}: ${fault.rule}`).toBe(expected);
});
