/** The views of a mount and its authorities. */
export { Authority } from "./authority.tsx";
export { Overview } from "./overview.tsx";
