/** The views of what is looked after: keys and revocation lists. */
export { Keys } from "./keys.tsx";
export { Revocation } from "./revocation.tsx";
