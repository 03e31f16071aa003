export { growableStore } from "./growable.ts";
export { partitionedStore } from "./partitioned.ts";
