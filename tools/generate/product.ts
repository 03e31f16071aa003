/** Files that `npm run generate` makes, by their paths below the project's folder, unformatted. */
export type Files = Readonly<Record<string, string>>;
/** One product: what it makes of the endpoints. The same endpoints always give the same text. */
export type Product = () => Files | Promise<Files>;
