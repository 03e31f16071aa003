/** An error in the configuration or on the host, printed as one sentence without a stack trace. */
export class LaunchError extends Error {
  constructor(text: string, options?: ErrorOptions) {
    super(text, options);
    this.name = "LaunchError";
  }
}
