import { ApiError, ask, mount, request, type Reply } from "../../api/transport.ts";
import { ref } from "../../api/pki.ts";

/** A delegated OCSP responder of an issuer. */
export interface Responder {
  readonly serial_number: string;
  readonly not_after: string;
  readonly key_type: string;
  readonly key_bits: number;
  /** RFC 3339; empty where it is not renewed. */
  readonly next_renewal: string;
  readonly active: boolean;
}

const path = (issuer: string): string => mount(`issuer/${ref(issuer)}/ocsp-responder`);

/** The responder of an authority; undefined where it signs by itself. */
export async function responder(issuer: string): Promise<Responder | undefined> {
  try {
    return await ask<Responder>("GET", path(issuer));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404 && error.bare) return undefined;
    throw error;
  }
}

export const makeResponder = (issuer: string): Promise<Reply<Responder>> =>
  request("POST", path(issuer), {});

export const deleteResponder = (issuer: string): Promise<Reply<unknown>> =>
  request("DELETE", path(issuer));
