/** Reports whether only programs on the same machine can reach the host name of a URL. */
export const isLocalHost = (hostname: string): boolean =>
  /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(hostname);
