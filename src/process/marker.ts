/**
 * The mark in the environment of every process that a run starts: what carries it belongs to the run, in whatever
 * session or group it is, and to this host. `sweep` looks for the run, the reaper for the host.
 */

export const runMarker = "REINS_RUN"

/** This process among all hosts. */
export const hostId: string = crypto.randomUUID()

export const makeRunId = () => `${hostId}.${crypto.randomUUID()}`
