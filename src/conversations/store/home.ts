/** The name of this home, where its sessions' files lie: host name and a random part, so that clones differ. */
import { linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { openStateDirectory } from "../../system/locks/stateDirectory.ts"
import { refused } from "./directory.ts"

const form = /^[a-z0-9][a-z0-9-]{0,62}-[0-9a-f]{12}$/

const makeName = () => {
  const host = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40)
  return `${host === "" ? "home" : host}-${crypto.randomUUID().replaceAll("-", "").slice(-12)}`
}

const readName = (file: string): string | undefined => {
  const info = lstatSync(file, { throwIfNoEntry: false })
  if (info === undefined) return undefined
  const text = info.isFile() && info.size < 200 ? readFileSync(file, "utf8").trim() : ""
  if (form.test(text)) return text
  throw new Error("is not a file with the name of a home")
}

/** If several processes create it at once, one succeeds: a link is atomic. */
const makeNameFile = (directory: string): string => {
  const file = join(directory, "home")
  const known = readName(file)
  if (known !== undefined) return known
  const made = join(directory, `home.${crypto.randomUUID()}`)
  writeFileSync(made, `${makeName()}\n`, { mode: 0o600, flag: "wx" })
  try {
    linkSync(made, file)
  } catch (cause) {
    if (readName(file) === undefined) throw cause
  } finally {
    rmSync(made, { force: true })
  }
  return readName(file) ?? makeName()
}

/** In the state directory; if that cannot be written, in the directory of the store, if it has one. */
export const openHome = (fallback?: string) =>
  Effect.flatMap(
    Effect.catch(openStateDirectory(), ({ problem }) =>
      fallback === undefined
        ? Effect.fail(refused("has no name for this home:", problem, "Set XDG_STATE_HOME to a directory of this user."))
        : Effect.succeed(fallback)
    ),
    (directory) =>
      Effect.try({
        try: () => makeNameFile(directory),
        catch: (cause) =>
          refused(join(directory, "home"), cause instanceof Error ? cause.message : String(cause), "Remove that file.")
      })
  )
