#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
/** The entry of the `reins` program: all else is loaded after the cache is there that makes it load faster. */
import { enableCache } from "./compileCache.ts"

enableCache()
const { start } = await import("./start.ts")
start()
