/** Where OpenCode keeps its sessions: a file of SQLite. Pure. */
import { resolve } from "node:path"

type Env = Readonly<Record<string, string | undefined>>

export const dataOf = ({ XDG_DATA_HOME, HOME }: Env) => `${XDG_DATA_HOME || `${HOME}/.local/share`}/opencode`

/** A relative path is one below the data. Undefined for one in memory, and where no home is known. */
export const databaseOf = (env: Env): string | undefined => {
  const { XDG_DATA_HOME, OPENCODE_DB, HOME } = env
  if (OPENCODE_DB === ":memory:" || (!XDG_DATA_HOME && !HOME)) return undefined
  return resolve(dataOf(env), OPENCODE_DB || "opencode.db")
}
