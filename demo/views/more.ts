/** The views that are loaded together when the first of them is shown; more and smaller files would cost more bytes than they spare. */
export { Authority } from "./authority.tsx";
export { Certificate } from "./certificate.tsx";
export { Certificates } from "./certificates.tsx";
export { Inspect } from "./inspect.tsx";
export { Issue } from "./issue.tsx";
export { Overview } from "./overview.tsx";
export { Reference } from "./reference.tsx";
export { Revocation } from "./revocation.tsx";
export { Roles } from "./roles.tsx";
export { Settings } from "./settings.tsx";
