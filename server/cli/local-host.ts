/** Reports whether only programs on the same machine reach the host of a URL. */
export const isLocalHost = (hostname: string): boolean =>
  /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(hostname);
