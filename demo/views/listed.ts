/** The views that show certificates: those of the mount, and those that somebody brings. */
export { Certificate } from "./certificate.tsx";
export { Certificates } from "./certificates.tsx";
