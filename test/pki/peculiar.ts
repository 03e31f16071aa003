// @peculiar/x509 requires that this is loaded first
import "reflect-metadata";
export { X509Certificate } from "@peculiar/x509";
