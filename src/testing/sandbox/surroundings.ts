/**
 * The environment that leads a real CLI to a scripted server, and contains nothing else: made from nothing, so that
 * no sign-in, setting or proxy of the machine reaches the CLI, and the files that its home must have. Pure.
 */
import { claudeSurroundings } from "./claude.ts"
import { codexSurroundings } from "./codex.ts"
import { geminiSurroundings } from "./gemini.ts"
import type { Lead, Surroundings } from "./lead.ts"
import { opencodeSurroundings } from "./opencode.ts"

/** Not a key: a scripted server takes any. */
export const madeUpKey = "made-up-key"

const byCli = {
  claude: claudeSurroundings,
  gemini: geminiSurroundings,
  codex: codexSurroundings,
  opencode: opencodeSurroundings
} as const satisfies Readonly<Record<string, (lead: Lead) => Surroundings>>

/** Where the server is, and the folders of one CLI. */
export interface SurroundingsOptions {
  /** Of the scripted server, without a path. */
  readonly url: string
  /** The home directory, fresh and empty. */
  readonly home: string
  /** For temporary files, fresh and empty. */
  readonly tmp: string
  /** Where the CLI and what it starts are found. Default: this process's own. */
  readonly path?: string
  /** How often the CLI repeats a request that failed, with pauses of seconds. Default: 0. OpenCode cannot be told. */
  readonly retries?: number
}

/** The variables that every program needs. */
export const cleanEnvironment = (folders: Pick<SurroundingsOptions, "home" | "tmp" | "path">) => ({
  HOME: folders.home,
  LANG: "C.UTF-8",
  PATH: folders.path ?? process.env["PATH"] ?? "",
  TERM: "xterm-256color",
  TMPDIR: folders.tmp
})

/** Variables and files for one CLI: `env` is its whole environment, `files` are to be written into its home. */
export const surroundingsOf = (
  cli: keyof typeof byCli,
  { url, retries = 0, ...folders }: SurroundingsOptions
): Surroundings => {
  const { env, files } = byCli[cli]({ url, retries, key: madeUpKey })
  return { env: { ...cleanEnvironment(folders), ...env }, files }
}
