import { createCipheriv } from "node:crypto";
import { expect, it } from "vitest";
import { decryptTripleDes } from "../../src/archive/legacy-decrypt.ts";
import { seeded } from "../support/authority.ts";
import { threadTime } from "../support/spent.ts";

const random = seeded(3);
const [key, iv] = [random(24), random(8)];
function encrypt(plain: Uint8Array): Uint8Array {
  const cipher = createCipheriv("des-ede3-cbc", key, iv);
  return Buffer.concat([cipher.update(plain), cipher.final()]);
}

it("triple DES decrypts data of any length that OpenSSL has encrypted", () => {
  for (let length = 0; length < 40; length++) {
    const plain = random(length);
    expect(Buffer.compare(decryptTripleDes(key, iv, encrypt(plain)), plain)).toBe(0);
  }
});

it("triple DES decrypts 1 MiB, the maximum size of an archive, in less than a second", () => {
  const plain = new Uint8Array(1024 * 1024);
  const encrypted = encrypt(plain);
  const times = Array.from({ length: 3 }, () => {
    const began = threadTime();
    expect(Buffer.compare(decryptTripleDes(key, iv, encrypted), plain)).toBe(0);
    return threadTime() - began;
  });
  expect(Math.min(...times)).toBeLessThan(1000);
});
