import { resolve } from "node:path";
import { LaunchError } from "./launch-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Paths of a certificate chain and its key, PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}
/** Where the server's certificate comes from. */
export interface TlsSettings {
  readonly files: TlsFiles;
}

/** Reads the TLS settings; undefined for plain HTTP. Throws {@link LaunchError} for half a pair. */
export function readTls(env: Environment): TlsSettings | undefined {
  const [cert, key] = [env["TLS_CERT"] ?? "", env["TLS_KEY"] ?? ""];
  if (!cert && !key) return undefined;
  if (cert && key) return { files: { cert: resolve(cert), key: resolve(key) } };
  throw new LaunchError("TLS_CERT and TLS_KEY are given together or not at all.");
}
