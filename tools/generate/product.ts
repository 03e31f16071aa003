/** Unformatted contents of generated files, by their paths in the repository. */
export type Files = Readonly<Record<string, string>>;
/** A generated product. The same endpoints always result in the same text. */
export type Product = () => Files | Promise<Files>;
