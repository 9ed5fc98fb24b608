/**
 * The value of the mark that every process of a run carries in its environment, in whatever session or group it is: it
 * names the host and the run. `sweep` looks for the run, the reaper for the host. The run's private directory bears it,
 * too.
 */
import { join } from "node:path"

/** This process among all hosts. */
export const hostId: string = crypto.randomUUID()

export const makeRunId = () => `${hostId}.${crypto.randomUUID()}`

/** Below a directory for temporary files. */
export const privatePath = (directory: string, runId: string) => join(directory, `reins-${runId}`)
