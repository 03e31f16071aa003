/** Returns a host name or address as it is written in URLs: IPv6 addresses in brackets. */
export const urlHost = (host: string): string => (host.includes(":") ? `[${host}]` : host);
