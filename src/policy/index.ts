export { compileAcl, rootPolicy, type Acl, type AclRequest, type NamedPolicy } from "./acl.ts";
export type { Grant } from "./merge.ts";
export { parsePolicy, type Policy } from "./policy.ts";
