import { readFileSync } from "node:fs";
import { nameserverOf } from "../net/dns.ts";

/** Files that configure the host's name resolution. */
const files = { nameservers: "/etc/resolv.conf", hosts: "/etc/hosts" };

/**
 * Maximum length of the hosts file in characters, because an environment variable on Linux may have
 * at most 128 KiB.
 */
const maxHostsLength = 100_000;

const readText = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

/**
 * Returns the host's DNS configuration as environment variables for the Worker: the first
 * nameserver, or `none`, and the hosts file.
 */
export function hostDns(paths = files): {
  readonly DNS_NAMESERVER: string;
  readonly DNS_HOSTS: string;
} {
  const nameserver = readText(paths.nameservers)
    .split("\n")
    .map((line) => /^\s*nameserver\s+(\S+)/.exec(line)?.[1] ?? "")
    .find((address) => nameserverOf(address) !== undefined);
  return { DNS_NAMESERVER: nameserver ?? "none", DNS_HOSTS: hostsOf(readText(paths.hosts)) };
}

/**
 * Returns a hosts file with its comments removed. If the result exceeds the length limit, for
 * example because the file is a block list, omits the lines that map names to this host. Of the
 * other lines, returns as many as fit.
 */
function hostsOf(text: string): string {
  const lines = text
    .split("\n")
    .map((line) => line.replace(/#.*/s, "").trim().replace(/\s+/g, " "))
    .filter((line) => line.includes(" "));
  const whole = lines.join("\n");
  if (whole.length <= maxHostsLength) return whole;
  const entries = lines
    .filter((line) => !/^(?:0\.0\.0\.0|127\.[0-9.]+|::1?) /.test(line))
    .join("\n");
  return entries.length <= maxHostsLength
    ? entries
    : entries.slice(0, Math.max(0, entries.lastIndexOf("\n", maxHostsLength)));
}
