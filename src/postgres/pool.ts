/** A statement in the form that `pg` expects. */
export interface PostgresStatement {
  /** Name under which the server caches the prepared statement. */
  name?: string;
  /** SQL with parameters `$1`, `$2` and so on. */
  text: string;
  /** Values of the parameters. */
  values?: unknown[];
  /** Makes each row of the result an array of values. */
  rowMode: "array";
}
/** A connection from a `pg` pool. */
export interface PostgresClient {
  /** Runs a prepared statement. */
  query(statement: PostgresStatement): Promise<{ readonly rows: unknown[][] }>;
  /** Adds an event listener. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Adds an event listener. */
  on(event: "end", listener: () => void): unknown;
  /** Adds an event listener. */
  on(
    event: "notification",
    listener: (message: { readonly payload?: string | undefined }) => void,
  ): unknown;
  /** Removes an event listener. */
  off(event: string, listener: () => void): unknown;
  /** Keeps the process alive while the connection is open. */
  ref?(): void;
  /** Lets the process exit while the connection is open. */
  unref?(): void;
  /** Returns the connection to the pool, or closes it if `error` is an error or true. */
  release(error?: Error | boolean): void;
}
/** A connection pool, such as `Pool` of `pg`. */
export interface PostgresPool {
  /** Resolves with a connection as soon as one is free. */
  connect(): Promise<PostgresClient>;
  /** Closes all connections. */
  end(): Promise<void>;
  /** Adds an event listener. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Adds an event listener. */
  on(event: "acquire", listener: (client: PostgresClient) => void): unknown;
  /** Settings of the pool. */
  readonly options: {
    /** Maximum number of connections. */
    readonly max: number;
    /** Host name, or directory of the Unix socket. */
    readonly host?: string | undefined;
    /** TCP port. */
    readonly port?: number | undefined;
    /** Name of the database. */
    readonly database?: string | undefined;
    /** Name of the user. */
    readonly user?: string | undefined;
    /** URL of the database. */
    readonly connectionString?: string | undefined;
  };
}
