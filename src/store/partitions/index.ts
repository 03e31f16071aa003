export { growableStore } from "./growable-store.ts";
export { partitionedStore } from "./partitioned-store.ts";
export { placementOf } from "../../engine/placement-rules.ts";
