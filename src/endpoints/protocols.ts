import * as estFront from "../est/front.ts";
import { acme } from "./acme.ts";

/** All endpoints of the EST protocol on a CA mount, for EST clients. */
export const est = [
  estFront.estCaCertificates,
  estFront.estEnroll,
  estFront.estReenroll,
  estFront.estCsrAttributes,
] as const;

/** All endpoints of a CA mount for clients of other protocols: ACME and EST. */
export const protocols = [...acme, ...est] as const;
