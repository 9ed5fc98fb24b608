/** Homes of CLIs with recorded sessions, each in a directory of its own, and what is found in them. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Stream } from "effect"
import { type CliId, clis } from "../../../src/cli/clis.ts"
import { findOutside, listOutside, type OutsideCli, readOutside } from "../../../src/conversations/turns/outside.ts"

/** Below the user's home, as the CLIs have it. */
const places: Readonly<Record<CliId, string>> = {
  claude: ".claude",
  codex: ".codex",
  gemini: ".gemini",
  opencode: ".local/share/opencode",
  pi: ".pi/agent"
}

export const recorded = (cli: CliId, scenario: string) =>
  fileURLToPath(new URL(`../../../fixtures/${cli}/stored/${scenario}`, import.meta.url))

export const makeHome = (cli: CliId, ...scenarios: ReadonlyArray<string>) => {
  const user = mkdtempSync(join(tmpdir(), "reins-stored-test-"))
  const home = join(user, places[cli])
  mkdirSync(home, { recursive: true })
  for (const scenario of scenarios) cpSync(recorded(cli, scenario), home, { recursive: true })
  const of: OutsideCli = { cli: clis[cli], env: { HOME: user } }
  return { user, home, of, [Symbol.dispose]: () => rmSync(user, { recursive: true, force: true }) }
}

export const list = (of: OutsideCli) => Effect.runPromise(listOutside([of]))

export const find = (of: OutsideCli, sessionId: string) => Effect.runPromise(findOutside(of, sessionId))

export const read = (of: OutsideCli, sessionId: string) =>
  Effect.runPromise(
    Effect.flatMap(readOutside(of, sessionId), (items) =>
      items === undefined ? Effect.undefined : Stream.runCollect(items)
    )
  )

/** All that is there, with sizes and times. */
export const everything = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const info = statSync(join(directory, name))
      return `${name} ${info.size} ${info.mtimeMs}`
    })
