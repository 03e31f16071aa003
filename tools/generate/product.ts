/** Files that `npm run generate` makes, by their paths below the project's folder, unformatted. */
export type Files = Readonly<Record<string, string>>;
/** A generated product. The same endpoints always result in the same text. */
export type Product = () => Files | Promise<Files>;
