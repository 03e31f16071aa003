import * as fc from "fast-check";
import { expect, it } from "vitest";
import { concat } from "../../src/base/bytes.ts";
import { DerWriter, elementSize } from "../../src/base/der-element.ts";
import { readDer, tagAndLength } from "../../src/base/der.ts";

it("a DER writer encodes elements of any size so that the reader accepts them", () => {
  const length = fc.oneof(fc.nat(300), fc.constantFrom(127, 128, 255, 256, 65_535, 65_536));
  fc.assert(
    fc.property(fc.array(length, { maxLength: 4 }), (lengths) => {
      const contents = lengths.map((size, at) => new Uint8Array(size).fill(at + 1));
      const size = contents.reduce((sum, part) => sum + elementSize(part.length), 0);
      const writer = new DerWriter(elementSize(size));
      writer.header(0x30, size);
      for (const part of contents) {
        writer.header(0x04, part.length);
        writer.bytes(part);
      }
      const der = writer.done();
      const parts = contents.flatMap((part) => [tagAndLength(0x04, part.length), part]);
      expect(der).toEqual(concat([tagAndLength(0x30, size), ...parts]));
      const list = readDer(der, "list").enter("parts");
      expect(contents.map(() => list.octets("a part"))).toEqual(contents);
      list.end();
    }),
    { seed: 58, numRuns: 200 },
  );
});

it("a DER writer throws for output that is shorter or longer than announced", () => {
  const writer = new DerWriter(3);
  writer.header(0x04, 1);
  expect(() => writer.done()).toThrow(TypeError);
  expect(() => writer.bytes(new Uint8Array(2))).toThrow(TypeError);
  writer.byte(1);
  expect(writer.done()).toEqual(Uint8Array.of(4, 1, 1));
  writer.byte(1);
  expect(() => writer.done()).toThrow(TypeError);
});
