/** A statement in the form that `pg` expects. */
export interface PostgresStatement {
  /** Name under which the server stores it. */
  name?: string;
  /** SQL with `$1`, `$2` and so on. */
  text: string;
  /** Values of the parameters. */
  values?: unknown[];
  /** Rows are arrays of values. */
  rowMode: "array";
}
/** A connection of a pool of `pg`. */
export interface PostgresClient {
  /** Runs a prepared statement. */
  query(statement: PostgresStatement): Promise<{ readonly rows: unknown[][] }>;
  /** Adds a listener of an event. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Adds a listener of an event. */
  on(event: "end", listener: () => void): unknown;
  /** Adds a listener of an event. */
  on(
    event: "notification",
    listener: (message: { readonly payload?: string | undefined }) => void,
  ): unknown;
  /** Removes a listener of an event. */
  off(event: string, listener: () => void): unknown;
  /** Keeps the process alive while it is open. */
  ref?(): void;
  /** Lets the process end while it is open. */
  unref?(): void;
  /** Returns it to the pool, or closes it after an error. */
  release(error?: Error | boolean): void;
}
/** A pool of `pg`. */
export interface PostgresPool {
  /** Returns a connection, once one is free. */
  connect(): Promise<PostgresClient>;
  /** Closes all connections. */
  end(): Promise<void>;
  /** Adds a listener of an event. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Adds a listener of an event. */
  on(event: "acquire", listener: (client: PostgresClient) => void): unknown;
  /** Settings of the pool. */
  readonly options: {
    /** Maximum number of connections. */
    readonly max: number;
    /** Host name or socket folder. */
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
