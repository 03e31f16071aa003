export { register } from "./register.ts";
export { resealManaged } from "./reseal.ts";
export { listed, removed, shownKey, tested } from "./registered.ts";
