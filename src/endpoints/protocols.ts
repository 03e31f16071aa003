import * as estFront from "../est/front.ts";
import { acme } from "./acme.ts";

/** Every endpoint of the EST protocol on a CA mount: clients of EST call them, over HTTP. */
export const est = [
  estFront.estCaCertificates,
  estFront.estEnroll,
  estFront.estReenroll,
  estFront.estCsrAttributes,
] as const;

/** Every endpoint of a CA mount that clients of other protocols call: ACME and EST. */
export const protocols = [...acme, ...est] as const;
