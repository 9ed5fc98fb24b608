#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
/** Entry of the `reins` program. The compile cache is enabled before the rest is loaded, which makes that faster. */
import { enableCache } from "./compileCache.ts"
import { leaveFirstProcess } from "./reapingParent.ts"

leaveFirstProcess()
enableCache()
const { start } = await import("./start.ts")
start()
