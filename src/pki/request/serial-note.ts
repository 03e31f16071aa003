import type { Caller } from "../../wire/endpoint.ts";

/**
 * Notes which certificate a call was about. `serial`: hexadecimal with colons, which the caller is
 * told also where its reply is lost.
 */
export const noteSerial = (caller: Pick<Caller, "note">, serial: string): void =>
  caller.note({ serial: serial.replaceAll(":", "") }, `the serial number is ${serial}`);
