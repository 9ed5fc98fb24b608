// The environment the real CLIs live in: built from nothing, so that no sign-in, setting or proxy of the machine
// reaches them. Takes folders, gives a record of variables.
import { delimiter, dirname } from "node:path"

/** Not a key: the scripted API takes any. */
export const madeUpKey = "made-up-key"

/** Claude's switches against telemetry, updates and every request but those to the model. */
const offSwitches: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_ERROR_REPORTING: "1",
  DISABLE_TELEMETRY: "1"
}

const systemFolders = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]

/** A whole environment: home and temp folder, the commands of the pinned CLIs first on PATH, then this Node. */
export const cleanEnvironment = (folders: {
  readonly home: string
  readonly tmp: string
  readonly commands: ReadonlyArray<string>
}): Record<string, string> => ({
  ...offSwitches,
  ANTHROPIC_API_KEY: madeUpKey,
  HOME: folders.home,
  LANG: "C.UTF-8",
  PATH: [...folders.commands.map(dirname), dirname(process.execPath), ...systemFolders].join(delimiter),
  TERM: "xterm-256color",
  TMPDIR: folders.tmp
})
