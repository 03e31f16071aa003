/** Unformatted contents of generated files, by path in the repository. */
export type Files = Readonly<Record<string, string>>;
/** A function that generates files. The same endpoints always result in the same text. */
export type Product = () => Files | Promise<Files>;
