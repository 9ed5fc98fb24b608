#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
/** The entry of the `reins` program: all else is loaded after the cache is there that makes it load faster. */
import { isNodeOk, oldestNode } from "../process/nodeVersion.ts"
import { enableCache } from "./compileCache.ts"

if (!isNodeOk(process.version)) {
  process.stderr.write(`reins: Node.js ${process.version} is too old: some things fail before ${oldestNode}\n`)
}
enableCache()
const { start } = await import("./start.ts")
start()
