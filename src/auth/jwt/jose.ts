// of the library only what is named here comes along where modules are bundled
export { compactVerify, importJWK, importSPKI } from "jose";
