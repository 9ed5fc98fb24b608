/**
 * Files to write and to delete in a working tree, as a plan on the disk: made files lie beside the repository's data and are
 * renamed into place, so that the plan of a killed host can be finished. A file that is not as it was planned is left alone.
 * The plan is in the user's state directory: an agent can write into the repository's data, where nothing is believed.
 */
import { createHash } from "node:crypto"
import type { Stats } from "node:fs"
import { copyFile, lstat, mkdir, open, readdir, readFile, readlink, rename, rm, rmdir } from "node:fs/promises"
import { join } from "node:path"
import { Option, Schema } from "effect"
import { codeOf } from "../../contract/errors/system.ts"

/** Files are bytes, and so are their names: each character is one. */
export const nameOf = (path: string) => Buffer.from(path, "latin1")

export interface Working {
  /** The top of the working tree. */
  readonly top: string
  /** The directory of git for this working tree alone. */
  readonly gitDirectory: string
  /** The user's own directory for plans. */
  readonly plans: string
}

const Entry = Schema.Struct({
  path: Schema.String,
  /** Digests of the file before and after; null for none. */
  before: Schema.NullOr(Schema.String),
  after: Schema.NullOr(Schema.String)
})
export type Entry = typeof Entry.Type

/** Deletions come first: a file may become a directory. */
const Plan = Schema.Array(Entry)
export type Plan = typeof Plan.Type
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Plan))

export const stagingOf = ({ gitDirectory }: Working) => join(gitDirectory, "reins-apply")
const planFile = ({ plans, top, gitDirectory }: Working) =>
  join(
    plans,
    `${createHash("sha256")
      .update(JSON.stringify([top, gitDirectory]))
      .digest("hex")
      .slice(0, 32)}.json`
  )

/** Below the working tree, and not in the data of a repository. */
const isInside = (path: string) =>
  !path.includes("\0") &&
  path.split("/").every((name) => name !== "" && name !== "." && name !== ".." && name.toLowerCase() !== ".git")

/** Made files, by where they come from: `files` for those to be written. */
export const madeFor = (working: Working, path: string, folder = "files") =>
  Buffer.concat([Buffer.from(`${stagingOf(working)}/${folder}/`), nameOf(path)])

export const pathIn = ({ top }: Working, path: string) => Buffer.concat([Buffer.from(`${top}/`), nameOf(path)])

export const statOf = (path: Buffer): Promise<Stats | undefined> =>
  lstat(path).catch((cause) => {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return undefined
    throw cause
  })

/** The directories above a path, from the top. */
const above = (path: string) => {
  const names = path.split("/").slice(0, -1)
  return names.map((_, at) => names.slice(0, at + 1).join("/"))
}

/** Whether a parent of the file is neither a directory nor missing: a link could lead out of the repository. */
export const isBlocked = async (working: Working, path: string, removed: ReadonlySet<string> = new Set()) => {
  for (const parent of above(path)) {
    if (removed.has(parent)) return false
    const info = await statOf(pathIn(working, parent))
    if (info === undefined) return false
    if (!info.isDirectory()) return true
  }
  return false
}

/** Whether a directory has other files than these. */
export const hasOthers = async (directory: Buffer, path: string, those: ReadonlySet<string>): Promise<boolean> => {
  for (const entry of await readdir(directory, { withFileTypes: true, encoding: "buffer" })) {
    const inner = `${path}/${entry.name.toString("latin1")}`
    if (those.has(inner)) continue
    if (!entry.isDirectory()) return true
    if (await hasOthers(Buffer.concat([directory, Buffer.from("/"), entry.name]), inner, those)) return true
  }
  return false
}

/** A digest of kind and content: of a file, a program or a link; null for none, or for a directory. */
export const digestOf = async (path: Buffer): Promise<string | null> => {
  const info = await statOf(path)
  if (info === undefined || info.isDirectory()) return null
  if (info.isSymbolicLink()) return `link ${await readlink(path)}`
  if (!info.isFile()) return "special"
  const kind = (info.mode & 0o100) === 0 ? "file" : "program"
  return `${kind} ${createHash("sha256")
    .update(await readFile(path))
    .digest("hex")}`
}

const move = async (from: Buffer, to: Buffer) => {
  try {
    await rename(from, to)
  } catch (cause) {
    if (codeOf(cause) !== "EXDEV") throw cause
    // The repository's data are on another file system.
    const beside = Buffer.concat([to, Buffer.from(`.reins-${crypto.randomUUID()}`)])
    await copyFile(from, beside)
    await rename(beside, to).finally(() => rm(beside, { force: true }))
    await rm(from)
  }
}

const makeParents = async (working: Working, path: string) => {
  for (const parent of above(path)) {
    await mkdir(pathIn(working, parent)).catch((cause) => {
      if (codeOf(cause) !== "EEXIST") throw cause
    })
  }
}

const removeEmptyParents = async (working: Working, path: string) => {
  for (const parent of above(path).reverse()) {
    const isRemoved = await rmdir(pathIn(working, parent)).then(
      () => true,
      () => false
    )
    if (!isRemoved) return
  }
}

const carryOutEntry = async (working: Working, { path, before, after }: Entry) => {
  if (!isInside(path)) return
  const target = pathIn(working, path)
  const made = madeFor(working, path)
  if (after !== null && (await digestOf(made)) !== after) return
  if ((await isBlocked(working, path)) || (await digestOf(target)) !== before) return
  if (after === null) {
    await rm(target, { force: true })
    return await removeEmptyParents(working, path)
  }
  await makeParents(working, path)
  // An empty directory may be left where a file belongs.
  if ((await statOf(target))?.isDirectory()) await rmdir(target)
  await move(made, target)
}

export const discardPlan = async (working: Working) => {
  await rm(planFile(working), { force: true })
  await rm(stagingOf(working), { recursive: true, force: true })
}

export const readPlan = async (working: Working): Promise<Plan | undefined> => {
  const text = await readFile(planFile(working), "utf8").catch((cause) => {
    if (codeOf(cause) === "ENOENT") return undefined
    throw cause
  })
  return text === undefined ? undefined : Option.getOrUndefined(decode(text))
}

export const writePlan = async (working: Working, plan: Plan) => {
  const made = `${planFile(working)}.${crypto.randomUUID()}`
  const handle = await open(made, "wx", 0o600)
  try {
    await handle.writeFile(JSON.stringify(plan))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(made, planFile(working))
}

/** Carries the plan out, and removes it. */
export const carryOut = async (working: Working, plan: Plan) => {
  for (const entry of plan) await carryOutEntry(working, entry)
  await discardPlan(working)
}
