/** A statement as `pg` takes it. */
export interface PostgresStatement {
  name?: string;
  text: string;
  values?: unknown[];
  rowMode: "array";
}
/** A connection of a pool of `pg`. */
export interface PostgresClient {
  query(statement: PostgresStatement): Promise<{ readonly rows: unknown[][] }>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  on(
    event: "notification",
    listener: (message: { readonly payload?: string | undefined }) => void,
  ): unknown;
  off(event: string, listener: () => void): unknown;
  /** Lets the process end while it is open, or not. */
  ref?(): void;
  unref?(): void;
  release(error?: Error | boolean): void;
}
/** A pool of `pg`. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "acquire", listener: (client: PostgresClient) => void): unknown;
  readonly options: {
    readonly max: number;
    readonly host?: string | undefined;
    readonly port?: number | undefined;
    readonly database?: string | undefined;
    readonly user?: string | undefined;
    readonly connectionString?: string | undefined;
  };
}
