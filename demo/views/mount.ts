/** The views of what a mount holds. */
export { Authority } from "./authority.tsx";
export { Certificate } from "./certificate.tsx";
export { Certificates } from "./certificates.tsx";
export { Overview } from "./overview.tsx";
