/** Describes the value of an extension, a line for each part. Throws `CaError`. */
export type ExtensionReader = (value: Uint8Array) => readonly string[];

/** Readers of one standard's extensions by object identifier. */
export type ExtensionReaders = Readonly<Record<string, ExtensionReader>>;
