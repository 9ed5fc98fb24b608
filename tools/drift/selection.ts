// Which of the real-CLI tests are those of one CLI. Pure.
import { basename } from "node:path"
import type { CliId } from "../../src/cli/clis.ts"

/** A run of vitest: files, and a pattern of test names where not all tests in them are meant. */
export interface Selection {
  readonly files: ReadonlyArray<string>
  readonly names?: string
}

const others: Readonly<Record<string, CliId>> = {
  "doors.test.ts": "claude",
  "endings.test.ts": "claude"
}

/** As the CLI is called in names of tests. */
const names: Readonly<Record<CliId, string>> = {
  claude: "[Cc]laude",
  gemini: "[Gg]emini",
  codex: "[Cc]odex",
  opencode: "[Oo]pen[Cc]ode",
  pi: "\\b[Pp]i\\b"
}

const ownerOf = (file: string): CliId | undefined => {
  const name = basename(file)
  const owners = Object.keys(names) as ReadonlyArray<CliId> // the keys of the Record above
  return others[name] ?? owners.find((id) => name.startsWith(id))
}

/**
 * Files that begin with the CLI's name are its own; in shared files, the tests that name it are. The tests of the rig
 * prove the rig, with the tested version: they belong to none.
 */
export const selectionsOf = (id: CliId, files: ReadonlyArray<string>): ReadonlyArray<Selection> => {
  const own = files.filter((file) => ownerOf(file) === id)
  const shared = files.filter((file) => ownerOf(file) === undefined && basename(file) !== "rig.test.ts")
  return [{ files: own }, { files: shared, names: names[id] }].filter(({ files }) => files.length > 0)
}

const exactly = (names: ReadonlyArray<string>): string =>
  names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join(".{1,3}")

/** These tests, each by its names, the groups around it first, as vitest's `-t` wants it. */
export const anyOf = (tests: ReadonlyArray<ReadonlyArray<string>>): string => `(${tests.map(exactly).join("|")})$`
