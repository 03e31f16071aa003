import { describe, expect, it } from "vitest";
import { readPkcs12 } from "../../src/archive/pkcs12-read.ts";
import { writePkcs12 } from "../../src/archive/pkcs12.ts";
import { quick, unprotected, vectorPassword } from "./vectors.ts";

const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));

/**
 * Tests archives on any runtime, with the iteration count that it allows and with empty passwords.
 */
export function archiveSuite(): void {
  describe("archives", () => {
    it.each(["modern2026", "modern2023"] as const)(
      "security row 93: are written and read with %s and the iteration count that the runtime allows",
      async (encoder) => {
        const { keys, certificates } = await readPkcs12(quick, vectorPassword);
        const [key] = keys;
        if (!key) throw new TypeError("no key");
        const password = "Füße 日本";
        const written = await writePkcs12({ key, certificates }, { encoder, password, random });
        expect(await readPkcs12(written, password)).toMatchObject({ keys: [key], certificates });
        await expect(readPkcs12(written, "wrong")).rejects.toThrow("the password is wrong");
      },
    );

    it("security row 78: are read with an empty password", async () => {
      expect(await readPkcs12(unprotected, "")).toMatchObject({ entries: 2 });
      await expect(readPkcs12(unprotected, " ")).rejects.toThrow("the password is wrong");
    });
  });
}
