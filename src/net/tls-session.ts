import type { Handshake } from "./tls-handshake.ts";
import type { Offer } from "./tls-hello.ts";
import type { TlsIdentity } from "./tls-identity.ts";
import type { TlsVersion } from "./tls-suites.ts";
import type { TlsTrust } from "./tls-trust.ts";
import type { RandomBytes } from "../base/random-text.ts";

/** Options for a TLS connection. */
export interface TlsOptions {
  /**
   * Host name of the server in ASCII. The name is sent to the server, and the certificate must
   * contain it.
   */
  readonly serverName?: string;
  /**
   * IP address of a server without a name. The certificate must contain the address, which is never
   * sent.
   */
  readonly address?: string;
  /** Names of protocols to offer, in order of preference (RFC 7301). */
  readonly alpn?: readonly string[];
  readonly trust: TlsTrust;
  readonly identity?: TlsIdentity;
  /** Returns cryptographically secure random bytes. */
  readonly random: RandomBytes;
  /** Current time in Unix seconds. */
  readonly now: number;
  /** Signal that closes the connection when it aborts, during the handshake or later. */
  readonly signal: AbortSignal;
}

/** A handshake in progress. */
export interface ClientHandshake {
  /** The options, with `serverName` as sent in SNI. */
  readonly options: Omit<TlsOptions, "serverName"> & { readonly serverName: string | undefined };
  readonly shake: Handshake;
  readonly offer: Offer;
  /**
   * Sends a change_cipher_spec record for middleboxes, unless one was already sent (RFC 8446
   * appendix D.4).
   */
  sendChangeOnce(): void;
}

/** The result of a handshake. */
export interface NegotiatedSession {
  readonly version: TlsVersion;
  /** Name of the cipher suite, such as `TLS_AES_128_GCM_SHA256`. */
  readonly cipher: string;
  /** The selected protocol, or undefined if the server selected none. */
  readonly alpn: string | undefined;
  /** The certificates (DER, leaf first) as the server sent them. */
  readonly chain: readonly Uint8Array[];
  /** Functions that update the keys in TLS 1.3. Absent in TLS 1.2. */
  readonly update:
    | {
        reading(): Promise<void>;
        /** Changes the keys for writing. `before` writes the last record with the old keys. */
        writing(before: () => void): Promise<void>;
      }
    | undefined;
}
