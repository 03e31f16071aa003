import type { Peer } from "../src/index.ts";

/**
 * Who is at the other end, as the platform says: the local front's word, which no caller can forge,
 * else the header that the deployed platform sets itself.
 */
export const peerOf = (request: Request): Peer => ({
  // asked of the platform where it matters only: each look costs as much as a header
  get address() {
    const about: unknown = "cf" in request ? request.cf : undefined;
    const told =
      typeof about === "object" && about !== null && "clientAddress" in about
        ? about.clientAddress
        : request.headers.get("cf-connecting-ip");
    return typeof told === "string" ? told : undefined;
  },
});
