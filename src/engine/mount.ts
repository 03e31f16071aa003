export { Mount, type Decision, type Make } from "./unit.ts";
