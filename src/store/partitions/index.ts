export { growableStore } from "./growable-store.ts";
export { partitionedStore } from "./partitioned-store.ts";
