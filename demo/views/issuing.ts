/** The views around issuing. */
export { Issue } from "./issue.tsx";
export { Roles } from "./roles.tsx";
