/** Makes and finds the line that resumes a session; pure. Whole, short lines only: nothing in a sentence matches. */
import type { Cli } from "../../cli/Cli.ts"
import type { ResumeTarget } from "../../contract/Route.ts"

type ResumableCli = Pick<Cli, "resumeCommands">

/** Longer lines are skipped: a command, an id of 128 characters and some decoration fit. */
const longestLine = 512
/** Opaque, without characters that a shell, a message or a screen interprets. */
const idCharacters = String.raw`(?!-)[^\s\p{C}\p{Default_Ignorable_Code_Point}\x60"'$;&\|<>\\]{1,128}`
const wholeId = new RegExp(`^${idCharacters}$`, "v")

export const isResumableId = (sessionId: unknown): sessionId is string =>
  typeof sessionId === "string" && wholeId.test(sessionId)

/** Quote marks, emoji, arrows and back-ticks that chat applications and people put before a line. */
const decoration = String.raw`[\s>\x60\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0e\ufe0f\u2190-\u21ff\u27f0-\u27ff\u2900-\u297f\u2b00-\u2bff]|[\-=]+>`
/** Chat applications turn `--` into one long dash. */
const word = (text: string) => text.replace(/^--/, "(?:--|\u2014)")

const patternOfLine = ({ resumeCommands = [] }: ResumableCli): RegExp | undefined => {
  if (resumeCommands.length === 0) return undefined
  const commands = resumeCommands.map((command) => command.split(" ").map(word).join(String.raw`\s+`)).join("|")
  return new RegExp(String.raw`^(?:${decoration})*(?:${commands})\s+(?<id>${idCharacters})[\s\x60]*$`, "iv")
}

export const formatResumeLine = ({ resumeCommands }: ResumableCli, sessionId: string): string | undefined =>
  resumeCommands?.[0] === undefined ? undefined : `\`${resumeCommands[0]} ${sessionId}\``

const isQuote = /^\s*>/

export interface ResumeLineOptions {
  /** Whether lines that begin with `>` count. */
  readonly quotes: boolean
}

/** Finds the last line of a text that continues a session of one of these CLIs, by their ids. */
export const makeResumeLineFinder = <Id extends string>(clis: ReadonlyArray<readonly [Id, ResumableCli]>) => {
  const patterns = clis.flatMap(([cli, value]) => {
    const pattern = patternOfLine(value)
    return pattern === undefined ? [] : [{ cli, pattern }]
  })
  const targetIn = (line: string): ResumeTarget<Id> | undefined => {
    for (const { cli, pattern } of patterns) {
      const sessionId = pattern.exec(line)?.groups?.["id"]
      if (sessionId !== undefined) return { cli, sessionId }
    }
    return undefined
  }
  return (text: string, { quotes }: ResumeLineOptions): ResumeTarget<Id> | undefined => {
    for (let end = text.length; end >= 0; ) {
      const start = end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1
      const line = end - start > longestLine ? "" : text.slice(start, end)
      const target = quotes || !isQuote.test(line) ? targetIn(line) : undefined
      if (target !== undefined) return target
      end = start - 1
    }
    return undefined
  }
}
