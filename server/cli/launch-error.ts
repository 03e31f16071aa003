/** A mistake in the environment or on the host, told in one sentence instead of a stack. */
export class LaunchError extends Error {
  constructor(text: string, options?: ErrorOptions) {
    super(text, options);
    this.name = "LaunchError";
  }
}
