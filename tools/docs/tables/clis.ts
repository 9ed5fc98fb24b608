// The columns of tables by CLI, and the rows that are facts of a CLI: versions and budgets of time.
import { Duration } from "effect"
import { timeLimitsOf } from "../../../src/agents/engine/watchdog.ts"
import { type CliId, clis } from "../../../src/cli/clis.ts"
import { versions } from "../../../src/cli/versions.ts"
import { attachmentKinds } from "../../../src/contract/Attachment.ts"
import { kindWords } from "../../../src/contract/attachments/kinds.ts"
import { docstringsOf } from "../kit/docstrings.ts"
import { code, table } from "../kit/markdown.ts"

export const names: Readonly<Record<CliId, string>> = {
  claude: "Claude Code",
  gemini: "Gemini CLI",
  codex: "Codex",
  opencode: "OpenCode",
  pi: "Pi"
}
export const ids = Object.keys(names) as ReadonlyArray<CliId> // the keys of the Record above

export const versionsTable = (): string =>
  table(
    ["CLI", "tested with", "oldest that is known to work", "below that"],
    ids.map((id) => {
      const { testedVersion, oldestVersion, belowOldest } = versions[id]
      return [names[id], testedVersion, oldestVersion, belowOldest]
    })
  )

const duration = (millis: number) => {
  if (!Number.isFinite(millis)) return "none"
  const seconds = Duration.toSeconds(millis)
  if (seconds % 3600 === 0) return `${seconds / 3600} h`
  return seconds % 60 === 0 && seconds >= 600 ? `${seconds / 60} min` : `${seconds} s`
}

/** Values that most CLIs share, and those that differ. */
const defaults = (budget: keyof ReturnType<typeof timeLimitsOf>) => {
  const words = ids.map((id) => ({ id, word: duration(timeLimitsOf(clis[id])[budget]) }))
  const usual = words.find(({ word }) => words.filter((other) => other.word === word).length > 1)?.word
  const others = words.filter(({ word }) => word !== usual).map(({ id, word }) => `${names[id]} ${word}`)
  return [usual, ...others].filter((part) => part !== undefined).join(", ")
}

export const budgetsTable = (): string => {
  const { fields } = docstringsOf("Timeouts")
  const rows = (["startup", "idle", "tool", "approval", "settle", "linger", "total"] as const).map((budget) => {
    const meaning = (fields.get(budget) ?? "").replace(/ Default: .*$/, "")
    return [code(budget), meaning, defaults(budget)]
  })
  return table(["`timeouts`", "time", "default"], rows)
}

/** The kinds of attachments, by CLI. */
export const attachmentsTable = (): string =>
  table(
    ["kind", ...ids.map((id) => names[id]), "ACP agents"],
    attachmentKinds.map((kind) => [
      kindWords[kind],
      ...ids.map((id) => (clis[id].attachments?.has(kind) === true ? "yes" : "–")),
      "if it offers to"
    ])
  )
