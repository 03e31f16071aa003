export { register } from "./register.ts";
export { resealManaged } from "./reseal.ts";
export {
  listManagedKeys as listed,
  removeManagedKey as removed,
  toKeyReply,
  testManagedKey as tested,
} from "./registered.ts";
