/**
 * A function that describes the value of an extension and returns a line for each part. Throws
 * `CaError` if the value is malformed.
 */
export type ExtensionReader = (value: Uint8Array) => readonly string[];

/** Readers of related extensions, by object identifier. */
export type ExtensionReaders = Readonly<Record<string, ExtensionReader>>;
