export {
  sealwrightWorker,
  type SealwrightWorker,
  type WorkerCaOptions,
  type WorkerOptions,
} from "./authority.ts";
export { default, MountObject, type Env } from "./index.ts";
