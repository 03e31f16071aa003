import type { Settings } from "../cli/settings.ts";
import { ServerTls } from "./server-tls.ts";
import { fileSource } from "./tls-source.ts";

/**
 * Reads the server's certificate; returns undefined for plain HTTP. Throws {@link LaunchError} for
 * files that TLS cannot use.
 */
export function serverTls({ tls }: Settings): ServerTls | undefined {
  if (!tls) return undefined;
  return new ServerTls({
    source: fileSource(tls.files),
    report: (sentence) => console.error(sentence),
    every(milliseconds, run) {
      const timer = setInterval(run, milliseconds).unref();
      return () => clearInterval(timer);
    },
  });
}
