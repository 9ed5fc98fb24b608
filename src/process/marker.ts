/**
 * The value of the mark that every process of a run carries in its environment, in whatever session or group it is: it
 * names the host and the run. `sweep` looks for the run, the reaper for the host.
 */

/** This process among all hosts. */
export const hostId: string = crypto.randomUUID()

export const makeRunId = () => `${hostId}.${crypto.randomUUID()}`
