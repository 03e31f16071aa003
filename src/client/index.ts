export { auth } from "./auth.ts";
export { cubbyhole } from "./cubbyhole.ts";
export { identity } from "./identity.ts";
export { pki } from "./pki.ts";
export { sys } from "./sys.ts";
export { vars } from "./vars.ts";
export type * from "./auth.ts";
export type * from "./cubbyhole.ts";
export type * from "./identity.ts";
export type * from "./pki.ts";
export type * from "./sys.ts";
export type * from "./vars.ts";
export {
  CaError,
  refusals,
  SealwrightError,
  type ErrorCode,
  type Refusal,
} from "../base/errors.ts";
export type {
  Answer,
  CallOptions,
  ClientCall,
  DerSource,
  RawBytes,
  Signal,
  Transport,
  Warned,
  Warnings,
  WithPrivateKey,
  WrapInfo,
} from "./call.ts";
export { client, wrappedClient, type Wrapped } from "./client.ts";
export { pkiGroups, type PkiGroups } from "./groups.ts";
export { RefusedError } from "./refused.ts";
export type { Table } from "./table.ts";
export { httpTransport, type Fetch, type TransportOptions } from "./transport.ts";
