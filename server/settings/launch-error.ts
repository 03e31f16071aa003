/** An error in the configuration or on the host, printed as one sentence without a stack trace. */
export class LaunchError extends Error {
  constructor(text: string, options?: ErrorOptions) {
    super(text, options);
    this.name = "LaunchError";
  }
}

/** A wrong value of a setting, or settings that contradict each other. */
export class SettingError extends LaunchError {
  /** Names of the settings to correct, in the order in which the message mentions them. */
  readonly settings: readonly string[];

  constructor(text: string, ...settings: readonly string[]) {
    super(text);
    this.name = "SettingError";
    this.settings = settings;
  }
}
