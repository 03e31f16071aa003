/** The response header that contains the reason why the browser's storage cannot be opened. */
export const closedHeader = "Sealwright-Closed";
