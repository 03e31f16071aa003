/** What takes apart what somebody has: a view of its own, and beside the one that asks OCSP. */
export { GivenOcsp } from "./ocspgiven.tsx";
export { Inspect } from "./inspect.tsx";
