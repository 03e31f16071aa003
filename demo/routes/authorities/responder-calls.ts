import type { ReadResponderReply } from "../../../src/client/pki.ts";
import { call, findData } from "../../api/call.ts";
import * as pki from "../../api/endpoints/pki.ts";
import type { Reply } from "../../api/transport.ts";

/** A delegated OCSP responder of an issuer. */
export type Responder = ReadResponderReply;

/**
 * Returns the OCSP responder of an issuer, or undefined if the issuer signs its OCSP responses
 * itself.
 */
export const responder = (issuer: string): Promise<Responder | undefined> =>
  findData(pki.readResponder, { issuer_ref: issuer });

export const makeResponder = (issuer: string): Promise<Reply<Responder>> =>
  call(pki.makeResponder, { issuer_ref: issuer });

export const deleteResponder = (issuer: string): Promise<Reply<unknown>> =>
  call(pki.deleteResponder, { issuer_ref: issuer });
