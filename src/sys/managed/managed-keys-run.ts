export { register } from "./register.ts";
export { managedSecrets } from "./managed-secrets.ts";
export {
  listManagedKeys as listed,
  removeManagedKey as removed,
  toKeyReply,
  testManagedKey as tested,
} from "./registered.ts";
