/** The response header that states why the browser's storage cannot be opened. */
export const closedHeader = "Sealwright-Closed";
