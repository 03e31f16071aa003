// the other library requires that this is loaded first
import "reflect-metadata";
export { X509Certificate } from "@peculiar/x509";
