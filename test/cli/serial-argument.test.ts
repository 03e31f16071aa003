import { expect, it } from "vitest";
import { parseSerialArgument } from "../../server/cli/serial-argument.ts";

const absent = (): boolean => false;

it.each([
  ["3f5a0c119e07", "3f5a0c119e07"],
  ["3F:5A:0C", "3F:5A:0C"],
  ["3f-5a-0c", "3f-5a-0c"],
  ["12", "12"],
  ["1", "01"],
  ["123", "0123"],
])("the argument %s is the serial number %s, unless a file has this name", (argument, serial) => {
  expect(parseSerialArgument(argument, absent)).toBe(serial);
  expect(parseSerialArgument(argument, (path) => path === argument)).toBeUndefined();
});

it.each(["./12", "ab/12", "12.pem", "3f:5a-0c", "3f:5", ":3f", "-", "www.example"])(
  "the argument %s is not a serial number",
  (argument) => {
    expect(parseSerialArgument(argument, absent)).toBeUndefined();
  },
);
