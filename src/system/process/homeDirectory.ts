/**
 * The user's home: HOME (Windows: USERPROFILE), else that of the password database. Containers, units of systemd and steps
 * of a CI often have no HOME, and a user without a name has no home at all. Without Effect: the program's cache needs it
 * before that is loaded.
 */
import { accessSync, constants, statSync } from "node:fs"
import { userInfo } from "node:os"
import { isAbsolute, posix, win32 } from "node:path"

type Variables = Readonly<Record<string, string | undefined>>

export const homeVariable = (platform: NodeJS.Platform) => (platform === "win32" ? "USERPROFILE" : "HOME")

/** Undefined for a user without a name. */
export const inPasswordDatabase = (): string | undefined => {
  try {
    const { homedir } = userInfo()
    return isAbsolute(homedir) ? homedir : undefined
  } catch {
    return undefined
  }
}

/** `sudo` can keep the HOME of its caller, who could not use again what root creates there. */
const isOfSudoCaller = (home: string, { SUDO_UID }: Variables): boolean => {
  if (process.getuid?.() !== 0 || SUDO_UID === undefined || SUDO_UID === "0") return false
  return String(statSync(home, { throwIfNoEntry: false })?.uid) === SUDO_UID
}

/** A program that runs as another user than its image was made for can have a HOME such as `/root`. */
const isClosed = (home: string): boolean => {
  try {
    accessSync(home, constants.X_OK)
    return false
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EACCES"
  }
}

/** Undefined if none is known that can be entered, or made. */
export const homeOf = (
  env: Variables,
  platform: NodeJS.Platform = process.platform,
  passwordHome = inPasswordDatabase
): string | undefined => {
  const named = env[homeVariable(platform)] ?? ""
  const { isAbsolute } = platform === "win32" ? win32 : posix
  if (isAbsolute(named) && !isOfSudoCaller(named, env) && !isClosed(named)) return named
  const known = passwordHome()
  return known === undefined || isClosed(known) ? undefined : known
}
