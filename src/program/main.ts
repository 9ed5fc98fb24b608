#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
/** Entry of the `reins` program. The compile cache is enabled before the rest is loaded, which makes that faster. */
import { enableCache } from "./compileCache.ts"
import { leaveFirstProcess } from "./reapingParent.ts"

/** The rest is many files, and reports every other failure itself. */
const refuse = (error: NodeJS.ErrnoException) => {
  if (error.code !== "EMFILE") throw error
  process.stderr.write(
    "reins: this process cannot open enough files to start: raise its limit, see `ulimit -n` (EMFILE)\n"
  )
  process.exitCode = 2
}

leaveFirstProcess()
enableCache()
await import("./start.ts").then(({ start }) => start(), refuse)
