import { readFileSync } from "node:fs";
import { fileVariable, namesWithFile } from "./environment.ts";
import { LaunchError } from "./launch-error.ts";

/** The names and values of an environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A secret of the environment, and the file that it was read from. */
interface SecretSetting {
  readonly value: string;
  readonly file?: string;
}

/** An environment with its secrets, and the files that they were read from. */
interface WithSecrets {
  readonly env: Environment;
  /** Paths by the names of the secrets. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Returns the environment with the secrets read from the files it names: `SEALING_KEY_FILE` is the
 * path of a file with `SEALING_KEY`. Throws {@link LaunchError} for a file that cannot be read, and
 * for a secret that is set both ways.
 */
export function readSecretFiles(env: Environment): WithSecrets {
  const secrets = namesWithFile.flatMap((name) => {
    const secret = secretIn(env, name);
    return secret?.file ? [[name, secret.value, secret.file] as const] : [];
  });
  return {
    env: { ...env, ...Object.fromEntries(secrets.map(([name, value]) => [name, value])) },
    files: new Map(secrets.map(([name, , file]) => [name, file])),
  };
}

/** Returns a secret of the environment, or of the file that it names. Throws as above. */
export function secretIn(env: Environment, name: string): SecretSetting | undefined {
  const variable = fileVariable(name);
  const { [name]: value, [variable]: file } = env;
  if (!file) return value ? { value } : undefined;
  if (value) throw new LaunchError(`${name} and ${variable} are both set; set one of them.`);
  return { value: readSecret(file, variable), file };
}

function readSecret(path: string, variable: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code = "unreadable" } = error as NodeJS.ErrnoException;
    throw new LaunchError(`${variable}: ${path} cannot be read (${code}).`);
  }
  const value = text.replace(/[\r\n]+$/, "");
  if (value === "") throw new LaunchError(`${variable}: ${path} is empty.`);
  return value;
}
