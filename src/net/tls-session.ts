import type { Handshake } from "./tls-handshake.ts";
import type { Offer } from "./tls-hello.ts";
import type { TlsIdentity } from "./tls-identity.ts";
import type { TlsVersion } from "./tls-suites.ts";
import type { TlsTrust } from "./tls-trust.ts";
import type { RandomBytes } from "../base/random-text.ts";

/** Options of a TLS connection. */
export interface TlsOptions {
  /** Host name of the server in ASCII: sent to it, and expected in its certificate. */
  readonly serverName?: string;
  /** Address of a server without a name: expected in its certificate, never sent. */
  readonly address?: string;
  /** Protocols in order of preference (RFC 7301). */
  readonly alpn?: readonly string[];
  readonly trust: TlsTrust;
  readonly identity?: TlsIdentity;
  /** Returns cryptographically secure random bytes. */
  readonly random: RandomBytes;
  /** Current time in Unix seconds. */
  readonly now: number;
  /** Closes the connection when it aborts, during the handshake or later. */
  readonly signal: AbortSignal;
}

/** A handshake in progress. */
export interface ClientHandshake {
  /** The options, with `serverName` in the form sent in SNI. */
  readonly options: Omit<TlsOptions, "serverName"> & { readonly serverName: string | undefined };
  readonly shake: Handshake;
  readonly offer: Offer;
  /** Sends a change_cipher_spec for middleboxes, unless already sent (RFC 8446 appendix D.4). */
  sendChangeOnce(): void;
}

/** The result of a handshake. */
export interface NegotiatedSession {
  readonly version: TlsVersion;
  /** Name of the cipher suite: `TLS_AES_128_GCM_SHA256`. */
  readonly cipher: string;
  /** The selected protocol; undefined if the server selected none. */
  readonly alpn: string | undefined;
  /** Certificates as the server sent them, leaf first (DER). */
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
