/** Everything below a directory, with kind, mode and content; to be compared before and after. No link is followed. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join, relative } from "node:path"

const describe = (path: string): string => {
  const info = lstatSync(path)
  const mode = (info.mode & 0o7777).toString(8)
  if (info.isSymbolicLink()) return `link to ${readlinkSync(path)}`
  if (info.isDirectory()) return `directory ${mode}`
  return info.isFile() ? `${mode} ${info.ino} ${readFileSync(path, "latin1")}` : "something else"
}

const entriesBelow = (root: string, folder: string): ReadonlyArray<readonly [string, string]> =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    const own = [relative(root, path), describe(path)] as const
    return lstatSync(path).isDirectory() ? [own, ...entriesBelow(root, path)] : [own]
  })

export const listing = (root: string): Readonly<Record<string, string>> => Object.fromEntries(entriesBelow(root, root))
