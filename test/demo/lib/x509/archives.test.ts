import { expect, it } from "vitest";
import { archiveKinds } from "../../../../demo/lib/x509/archives.ts";

it("the PKCS#12 encoder for older programs is recommended for Windows, macOS and old Java", () => {
  const told = (kind: string) => archiveKinds.find(({ id }) => id === kind)?.about ?? "";
  const readers = ["Windows", "macOS", "Java before 26", "OpenSSL before 3.4"];
  expect(readers.filter((reader) => !told("modern2023").includes(reader))).toEqual([]);
  expect(readers.filter((reader) => told("modern2026").includes(reader))).toEqual([]);
});
