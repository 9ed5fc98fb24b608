/** A directory, with all that is missing above it. Synchronous: what is opened in it may be, too. */
import { lstatSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { codeOf } from "../../contract/errors/system.ts"

/**
 * Throws the error of the system. Node's own way (`recursive`, up to 24.21) never returns where a file system has no room
 * for directories, such as in `/proc`.
 */
export const makeDirectories = (path: string, mode: number): void => {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return
  const above = dirname(path)
  if (above !== path) makeDirectories(above, mode)
  try {
    mkdirSync(path, { mode })
  } catch (cause) {
    // Another process has created it meanwhile.
    if (codeOf(cause) !== "EEXIST") throw cause
  }
}
