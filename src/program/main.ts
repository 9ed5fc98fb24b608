#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
/**
 * Entry of the `reins` program. It prints help and version itself, and enables the compile cache before it loads the rest, which
 * makes that faster.
 */
import { isNodeOk } from "../system/process/nodeVersion.ts"
import { enableCache } from "./compileCache.ts"
import { isOutOfFiles, outOfFiles } from "./outOfFiles.ts"
import { printPrecomputed } from "./precomputed.ts"
import { leaveFirstProcess } from "./reapingParent.ts"

/** The rest is many files, and reports every other failure itself. */
const refuse = (error: unknown) => {
  if (!isOutOfFiles(error)) throw error
  process.stderr.write(`reins: ${outOfFiles}\n`)
  process.exitCode = 2
}

leaveFirstProcess()
const isDone = isNodeOk(process.version) && printPrecomputed(process.argv.slice(2))
if (!isDone) {
  enableCache()
  await import("./start.ts").then(({ start }) => start(), refuse)
}
