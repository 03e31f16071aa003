/** The header of an answer that says why the browser's storage cannot be opened. */
export const closedHeader = "Sealwright-Closed";
