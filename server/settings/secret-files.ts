import { readFileSync } from "node:fs";
import { fileVariable, namesWithFile } from "./environment.ts";
import { LaunchError, SettingError } from "./launch-error.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A secret from the environment, and the file from which it was read, if any. */
interface SecretSetting {
  readonly value: string;
  readonly file?: string;
}

/** An environment that includes the secrets, and the files from which they were read. */
interface WithSecrets {
  readonly env: Environment;
  /** File paths by secret name. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Adds the secrets whose files the environment specifies: `SEALING_KEY_FILE` is the path of a file
 * that contains `SEALING_KEY`. Throws {@link LaunchError} if a file is empty or cannot be read, or
 * if a secret is set in both ways.
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

/**
 * Returns a secret from the environment, or from the file that the environment specifies. Throws
 * {@link LaunchError} as `readSecretFiles` does.
 */
export function secretIn(env: Environment, name: string): SecretSetting | undefined {
  const variable = fileVariable(name);
  const { [name]: value, [variable]: file } = env;
  if (!file) return value ? { value } : undefined;
  if (value)
    throw new SettingError(
      `${name} and ${variable} are both set; set one of them.`,
      name,
      variable,
    );
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
