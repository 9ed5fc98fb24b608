/**
 * Caches the program's compiled code for its next start (30 ms less each). Cached code runs unchecked, so the cache is
 * in a folder that no other user can write, not in Node's default, the shared temporary directory; without one the
 * program runs uncached.
 */
import { existsSync, lstatSync, mkdirSync, realpathSync, statSync } from "node:fs"
import * as module from "node:module"
import { platform } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import { homeOf, inPasswordDatabase } from "../system/process/homeDirectory.ts"

/** A relative path would lie in the working directory. */
const base = (env: NodeJS.ProcessEnv, passwordHome: () => string | undefined): string | undefined => {
  const own = platform() === "darwin" ? "Library/Caches" : ".cache"
  const home = homeOf(env, process.platform, passwordHome)
  return [env["XDG_CACHE_HOME"] ?? "", home === undefined ? "" : join(home, own)].find(isAbsolute)
}

const isOurs = (folder: string): boolean => {
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
  const stat = lstatSync(folder)
  return stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0
}

/** True if no other user can replace the folder: those above it belong to the user or root, or are sticky. */
const isHeld = (folder: string): boolean => {
  const above = dirname(folder)
  if (above === folder) return true
  const { uid, mode } = statSync(above)
  const isTrusted = uid === 0 || uid === process.getuid?.()
  const isSticky = (mode & 0o1000) !== 0
  return isTrusted && (isSticky || (mode & 0o022) === 0) && isHeld(above)
}

/** Undefined unless it and the folders above it, up to the user's cache folder, belong to the user alone and are not links. */
export const cacheFolder = (env: NodeJS.ProcessEnv, passwordHome = inPasswordDatabase): string | undefined => {
  const parent = base(env, passwordHome)
  if (parent === undefined) return undefined
  const [room, folder] = [join(parent, "reins"), join(parent, "reins", "compiled")]
  try {
    return [parent, room, folder].every(isOurs) && isHeld(realpathSync(parent)) ? folder : undefined
  } catch {
    return undefined // not writable for others
  }
}

/** Unless `NODE_COMPILE_CACHE` names another, or `NODE_DISABLE_COMPILE_CACHE` is set. */
export const enableCache = (): void => {
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = process.env
  if (NODE_COMPILE_CACHE !== undefined || NODE_DISABLE_COMPILE_CACHE !== undefined) return
  const folder = cacheFolder(process.env)
  if (folder !== undefined) module.enableCompileCache?.(folder) // other runtimes have none
}
