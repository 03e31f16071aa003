import { existsSync } from "node:fs";
import type { BannerOptions } from "./banner.ts";
import { servedNames, type TlsSettings } from "../settings/tls-settings.ts";
import type { Settings } from "../settings/settings.ts";
import { rootPathIn } from "../data/own-tls.ts";
import { RoleSource } from "./role-source.ts";
import { serverLog } from "./server-log.ts";
import { ServerTls } from "./server-tls.ts";
import { fileSource, type TlsSource } from "./tls-source.ts";

/**
 * Creates the source of the server's certificate. Returns undefined for plain HTTP. Throws {@link
 * LaunchError} if the certificate files cannot be read or OpenSSL rejects them.
 */
export function serverTls(settings: Settings): ServerTls | undefined {
  if (!settings.tls) return undefined;
  const { report: reportTo } = serverLog(settings.variables);
  const report = (sentence: string): void => reportTo("error", sentence);
  return new ServerTls({
    source: sourceOf(settings.tls, settings, report),
    report,
    every(milliseconds, run) {
      const timer = setInterval(run, milliseconds).unref();
      return () => clearInterval(timer);
    },
  });
}

function sourceOf(
  tls: TlsSettings,
  settings: Settings,
  report: (sentence: string) => void,
): TlsSource {
  if ("files" in tls) return fileSource(tls.files);
  const { dataDir, host, variables } = settings;
  return new RoleSource({
    from: tls.from,
    dataDir,
    servedNames: () => servedNames(host, variables["PUBLIC_URL"]),
    report,
  });
}

/** Returns the TLS options for the start banner. */
export const servedTls = (
  settings: Settings,
): Pick<BannerOptions, "certFile" | "ownRoot" | "certificatePort"> => ({
  certFile: trustedFile(settings),
  ownRoot: settings.tls !== undefined && "from" in settings.tls && settings.tls.from.creates,
  certificatePort: settings.clientCertificates.port,
});

function trustedFile({ tls, dataDir }: Settings): string | undefined {
  if (!tls) return undefined;
  if ("files" in tls) return tls.files.cert;
  // the file may be missing because the disk was full
  const root = rootPathIn(dataDir);
  return existsSync(root) ? root : undefined;
}
