import type { Handshake } from "./tls-handshake.ts";
import type { Offer } from "./tls-hello.ts";
import type { TlsIdentity } from "./tls-identity.ts";
import type { TlsVersion } from "./tls-suites.ts";
import type { TlsTrust } from "./tls-trust.ts";
import type { RandomBytes } from "../base/random-text.ts";

/** Options of a TLS connection. */
export interface TlsOptions {
  /** Host name of the server, ASCII: sent to it, and looked for in its certificate. */
  readonly serverName?: string;
  /** Address of the server where it has no name: looked for in its certificate, never sent. */
  readonly address?: string;
  /** Protocols, the one liked best first (RFC 7301). */
  readonly alpn?: readonly string[];
  readonly trust: TlsTrust;
  readonly identity?: TlsIdentity;
  /** Cryptographically secure random bytes. */
  readonly random: RandomBytes;
  /** Unix seconds. */
  readonly now: number;
  /** Ends the connection whenever it is aborted, during the handshake and after. */
  readonly signal: AbortSignal;
}

/** A handshake in progress. */
export interface ClientHandshake {
  /** The options, with `serverName` in the form sent in SNI. */
  readonly options: Omit<TlsOptions, "serverName"> & { readonly serverName: string | undefined };
  readonly shake: Handshake;
  readonly offer: Offer;
  /** A change_cipher_spec for middleboxes, unless it was sent (RFC 8446 appendix D.4). */
  sendChangeOnce(): void;
}

/** The result of a handshake. */
export interface NegotiatedSession {
  readonly version: TlsVersion;
  /** Name of the cipher suite: `TLS_AES_128_GCM_SHA256`. */
  readonly cipher: string;
  /** The protocol chosen; undefined where the server chose none. */
  readonly alpn: string | undefined;
  /** Certificates as the server sent them, its own first, DER. */
  readonly chain: readonly Uint8Array[];
  /** Key updates of TLS 1.3; absent in TLS 1.2. */
  readonly update:
    | {
        reading(): Promise<void>;
        /** `before` writes the last record under the old keys. */
        writing(before: () => void): Promise<void>;
      }
    | undefined;
}
