import { readDer } from "../../src/base/der.ts";

/** Reads the number of a CRLNumber or DeltaCRLIndicator value. */
export const readCrlNumber = (value: Uint8Array): number =>
  readDer(value, "CRL number").number("the number");
