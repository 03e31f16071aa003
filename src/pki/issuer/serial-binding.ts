/** Returns the binding of the sealed key with which a mount generates its serial numbers. */
export const serialKeyBinding = (mount: string): string => `${mount}/serial`;
