export { capabilitiesOf, compileAcl, rootPolicy, type Acl, type NamedPolicy } from "./acl.ts";
export { defaultPolicy, responseWrapping } from "./built-in.ts";
export { aclOf, isKeyName, policiesOf, textOf } from "./policy-cache.ts";
export type { Grant } from "./merge.ts";
export type { Policy } from "./policy.ts";
