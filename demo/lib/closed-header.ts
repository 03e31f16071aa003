/** The response header of errors that occur because the browser's storage cannot be opened. */
export const closedHeader = "Sealwright-Closed";
