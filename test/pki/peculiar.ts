// the other library wants this loaded before it
import "reflect-metadata";
export { X509Certificate } from "@peculiar/x509";
