/** A user's directories, and all that stands in them: to be compared before and after. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join, relative } from "node:path"
import { Effect } from "effect"
import { makeDirectory } from "../../kit/temporary.ts"

const entriesOf = (root: string, path: string): ReadonlyArray<readonly [string, string]> => {
  const info = lstatSync(path)
  const mode = (info.mode & 0o7777).toString(8)
  const name = relative(root, path)
  if (info.isSymbolicLink()) return [[name, `link to ${readlinkSync(path)}`]]
  if (!info.isDirectory()) return [[name, `${mode} ${readFileSync(path, "latin1")}`]]
  return [[name, `directory ${mode}`], ...readdirSync(path).flatMap((child) => entriesOf(root, join(path, child)))]
}

/** Names from the root on, with kind, mode and content. */
export type Listing = Readonly<Record<string, string>>

/** Locks stand there, empty, for the next host. */
const ofState = (name: string) => /^home\/\.local($|\/state($|\/reins($|\/locks|\/settings$)))/.test(name)

/** Without the state directory; but what runs have left in it is told. */
export const listing = (root: string): Listing =>
  Object.fromEntries(entriesOf(root, root).filter(([name]) => !ofState(name)))

/** With a comment, for its owner and group. */
const settings = '{\n  // mine\n  "theme": "dark",\n  "mcpServers": { "own": { "command": "own-server" } }\n}\n'

export const makeUser = Effect.gen(function* () {
  const root = yield* makeDirectory
  const path = (...names: ReadonlyArray<string>) => join(root, ...names)
  for (const name of ["home/.config", "tmp", "configured/.gemini", "plain/empty"])
    mkdirSync(path(name), { recursive: true })
  writeFileSync(path("home/.profile"), "export EDITOR=vi\n")
  writeFileSync(path("home/.config/private"), "mine", { mode: 0o600 })
  writeFileSync(path("tmp/reins-notes"), "not what a run has made")
  writeFileSync(path("configured/.gemini/settings.json"), settings)
  chmodSync(path("configured/.gemini/settings.json"), 0o640)
  writeFileSync(path("plain/README"), "hello\n")
  symlinkSync("README", path("plain/link"))
  return {
    home: path("home"),
    tmp: path("tmp"),
    /** A working directory with settings of the user, and one without. */
    configured: path("configured"),
    plain: path("plain"),
    listing: () => listing(root)
  }
})
