import * as estFront from "../est/front.ts";
import { acme } from "./acme.ts";

/** Every endpoint of the EST protocol on a CA mount, for EST clients over HTTP. */
export const est = [
  estFront.estCaCertificates,
  estFront.estEnroll,
  estFront.estReenroll,
  estFront.estCsrAttributes,
] as const;

/** Every endpoint of a CA mount for clients of other protocols: ACME and EST. */
export const protocols = [...acme, ...est] as const;
