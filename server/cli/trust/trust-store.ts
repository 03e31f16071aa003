/** The machine whose trust stores are changed. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** Home directory of the user. */
  readonly home: string;
  /** The directory where `root` certificates stay for programs that read files. */
  readonly configDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reports whether a path exists. */
  exists(path: string): boolean;
  /** Returns the names in a directory; none if it does not exist. */
  namesIn(path: string): readonly string[];
  /** Returns the path of a program; undefined if it is not installed. */
  findProgram(name: string): string | undefined;
}

/** A root certificate to install or remove. */
export interface TrustedRoot {
  /** PEM. */
  readonly certificate: string;
  /** The file of the user's settings with the certificate, for programs that read files. */
  readonly file: string;
  /** Name of its entry in trust stores: unique, and the same on each installation. */
  readonly name: string;
  /** SHA-1 fingerprint without colons, by which some stores find it. */
  readonly sha1: string;
}

/** One change of a machine. */
export type Step =
  /** Writes a file of the user. */
  | { readonly kind: "write"; readonly path: string; readonly text: string; readonly asRoot: false }
  /** Copies the certificate. */
  | { readonly kind: "copy"; readonly from: string; readonly to: string; readonly asRoot: boolean }
  | { readonly kind: "delete"; readonly path: string; readonly asRoot: boolean }
  | {
      readonly kind: "run";
      readonly command: readonly string[];
      readonly asRoot: boolean;
      /** Output of a command that fails because there is nothing to do. */
      readonly settled?: RegExp;
    }
  /** An instruction for the user. */
  | {
      readonly kind: "note";
      readonly text: string;
      /** The root is not trusted until the user has done it. */
      readonly isRequired?: true;
    };

/** A trust store, or several of one kind. */
export interface TrustStore {
  readonly name: string;
  readonly title: string;
  /** Returns the steps that install a root; none if the machine has no such store. */
  install(root: TrustedRoot, machine: Machine): readonly Step[];
  remove(root: TrustedRoot, machine: Machine): readonly Step[];
}
