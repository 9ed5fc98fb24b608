/**
 * The key of the web page: 256 bits, created once in the state directory, so that an open page survives a restart. Its
 * holder is the owner; removing its file makes a new key at the next start.
 */
import { randomBytes } from "node:crypto"
import { linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { openStateDirectory } from "../../system/locks/stateDirectory.ts"

const form = /^[\w-]{43}$/
const othersMayDoAnything = 0o077
const fresh = () => randomBytes(32).toString("base64url")

const readKey = (file: string): string | undefined => {
  const info = lstatSync(file, { throwIfNoEntry: false })
  if (info === undefined) return undefined
  const own = process.getuid?.()
  const isPrivate = own === undefined || (info.uid === own && (info.mode & othersMayDoAnything) === 0)
  if (!info.isFile() || !isPrivate || info.size > 200)
    throw new Error(`${file} is not a file of yours alone: remove it, and a new key is made`)
  const key = readFileSync(file, "utf8").trim()
  if (!form.test(key)) throw new Error(`${file} has no key in it: remove it, and a new one is made`)
  return key
}

/** If several processes create it at once, one succeeds. */
const madeOnce = (directory: string): string => {
  const file = join(directory, "web-key")
  const known = readKey(file)
  if (known !== undefined) return known
  const made = join(directory, `web-key.${crypto.randomUUID()}`)
  writeFileSync(made, `${fresh()}\n`, { mode: 0o600, flag: "wx" })
  try {
    linkSync(made, file)
  } catch (cause) {
    if (readKey(file) === undefined) throw cause
  } finally {
    rmSync(made, { force: true })
  }
  return readKey(file) ?? fresh()
}

/** Opens the key; if it cannot be kept, it is valid for this start only. */
export const openKey: Effect.Effect<string> = openStateDirectory().pipe(
  Effect.flatMap((directory) => Effect.try({ try: () => madeOnce(directory), catch: (cause) => cause })),
  Effect.catch((problem) => {
    const why = problem instanceof Error ? problem.message : String(problem)
    return Effect.as(
      Effect.logWarning(`The key of the page is for this start alone, since it cannot be kept: ${why}`),
      fresh()
    )
  })
)
