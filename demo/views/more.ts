/** The views that are loaded together: who opens one of them soon opens another, and more and smaller files would cost more bytes than they spare. */
export { Authority } from "./authority.tsx";
export { Certificate } from "./certificate.tsx";
export { Certificates } from "./certificates.tsx";
export { Overview } from "./overview.tsx";
