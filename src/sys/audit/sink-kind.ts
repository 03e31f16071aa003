/** Kind of the job that sends audit events to the sink. */
export const sinkJobKind = "audit-sink";
