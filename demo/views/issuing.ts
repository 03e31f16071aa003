/** The views of what signs and of what it signs with. */
export { Issue } from "./issue.tsx";
export { Keys } from "./keys.tsx";
export { Revocation } from "./revocation.tsx";
export { Roles } from "./roles.tsx";
