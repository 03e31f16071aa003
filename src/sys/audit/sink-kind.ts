/** Kind of the job that sends audit events. */
export const sinkJobKind = "audit-sink";
