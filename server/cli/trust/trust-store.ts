/** The machine whose trust stores are changed. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** Home directory of the user. */
  readonly home: string;
  /** The directory with root certificates for programs that read them from files. */
  readonly configDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reports whether a path exists. */
  exists(path: string): boolean;
  /** Returns the names in a directory, or none if it does not exist. */
  namesIn(path: string): readonly string[];
  /** Returns the path of a program, or undefined if it is not installed. */
  findProgram(name: string): string | undefined;
}

/** A root certificate to install or remove. */
export interface TrustedRoot {
  /** The certificate as PEM. */
  readonly certificate: string;
  /**
   * Path of the certificate file in the user's configuration directory, for programs that read
   * files.
   */
  readonly file: string;
  /**
   * Name of the root's entry in trust stores: unique, and the same each time the root is installed.
   */
  readonly name: string;
  /** SHA-1 fingerprint without colons, by which some stores find the root. */
  readonly sha1: string;
}

/** A change to the machine, or a note for the user. */
export type Step =
  /** Writes a file in the user's home directory. */
  | { readonly kind: "write"; readonly path: string; readonly text: string; readonly asRoot: false }
  /** Copies the certificate file. */
  | { readonly kind: "copy"; readonly from: string; readonly to: string; readonly asRoot: boolean }
  | { readonly kind: "delete"; readonly path: string; readonly asRoot: boolean }
  | {
      readonly kind: "run";
      readonly command: readonly string[];
      readonly asRoot: boolean;
      /** Matches the output of the command if it fails because there is nothing to do. */
      readonly settled?: RegExp;
    }
  /** An instruction for the user. */
  | {
      readonly kind: "note";
      readonly text: string;
      /** Whether the root is not trusted until the user follows the instruction. */
      readonly isRequired?: true;
    };

/** A trust store, or all stores of one kind. */
export interface TrustStore {
  readonly name: string;
  readonly title: string;
  /** Returns the steps that install a root, or none if the machine has no such store. */
  install(root: TrustedRoot, machine: Machine): readonly Step[];
  remove(root: TrustedRoot, machine: Machine): readonly Step[];
}
