/**
 * The line by which a person goes on with a session of a CLI, one that Reins knows or of the application's own: the CLI's own
 * command. Pure, for both doors.
 */
import { clis, isCliId } from "../cli/clis.ts"
import { InvalidParams } from "../contract/AgentError.ts"
import type { CliId } from "../contract/CliSupport.ts"
import type { OwnCli } from "../contract/PlainAgent.ts"
import type { ResumeTarget } from "../contract/Route.ts"
import { hintFor } from "../contract/suggestions.ts"
import { formatResumeLine, isResumableId, makeResumeLineFinder } from "./turns/resumeLine.ts"

/** The CLIs whose lines are known. Its types are written out: declarations of the plain door do not name Effect. */
export interface ResumableClis<Id extends string = string> {
  readonly ids: ReadonlyArray<Id>
  /** Throws `InvalidParams` for any other text; `option` is the name of the field. */
  readonly named: (cli: unknown, option: string) => Id
  /** Finds the last line of a text that resumes a session. `quotes`: whether lines that begin with `>` count. */
  readonly find: (text: string, options: { readonly quotes: boolean }) => ResumeTarget<Id> | undefined
  /** Undefined if the CLI is unknown, has no command that resumes a session, or reports an id that none can take. */
  readonly lineOf: (target: ResumeTarget) => string | undefined
}

/** Throws `InvalidParams` for a CLI with the id of one that Reins knows. */
export const resumableClis = <Own extends OwnCli = never>(
  own: ReadonlyArray<Own> = []
): ResumableClis<CliId | Own["id"]> => {
  const taken = own.find(({ id }) => isCliId(id))
  if (taken !== undefined) throw new InvalidParams({ option: "clis", problem: `has ${taken.id}, which Reins knows` })
  const known = [...Object.values(clis), ...own]
  const ids = known.map(({ id }): CliId | Own["id"] => id)
  return {
    ids,
    named: (cli, option) => {
      const found = ids.find((id) => id === cli)
      if (found !== undefined) return found
      const name = typeof cli === "string" ? cli : String(typeof cli)
      const problem = `${JSON.stringify(name.slice(0, 100))} is not one of ${ids.join(", ")}${hintFor(name, ids)}`
      throw new InvalidParams({ option, problem })
    },
    find: makeResumeLineFinder(known.map((cli) => [cli.id, cli] as const)),
    lineOf: ({ cli, sessionId }) => {
      const found = known.find(({ id }) => id === cli)
      return found === undefined || !isResumableId(sessionId) ? undefined : formatResumeLine(found, sessionId)
    }
  }
}

const known = resumableClis()
const withOwn = <Own extends OwnCli>(own: ReadonlyArray<Own>): ResumableClis<CliId | Own["id"]> =>
  own.length === 0 ? known : resumableClis(own)

/**
 * Returns the command that resumes the session, in back-ticks. `own`: CLIs of your own beside those that Reins knows. Throws
 * `InvalidParams` for other CLIs, CLIs without such a command, and bad ids.
 */
export const resumeLine = ({ cli, sessionId }: ResumeTarget, own: ReadonlyArray<OwnCli> = []): string => {
  const known = withOwn(own)
  const line = known.lineOf({ cli: known.named(cli, "cli"), sessionId })
  if (line !== undefined) return line
  if (isResumableId(sessionId)) throw new InvalidParams({ option: "cli", problem: `${cli} has no resumeCommands` })
  const problem =
    "is not an id of 1 to 128 characters, without spaces, quotes and what a shell acts on, not beginning with -"
  throw new InvalidParams({ option: "sessionId", problem })
}

/**
 * The session that the last resume line of a text names, in the CLI's long or short form: `claude -r ID`. `own`: CLIs of
 * your own beside those that Reins knows. The line may begin with `>`, emoji, arrows and back-ticks, and must contain nothing
 * else. Never throws for a text. The author of the text chooses the session: search only texts of people who may resume it.
 */
export const parseResumeLine = <Own extends OwnCli = never>(
  text: string,
  own: ReadonlyArray<Own> = []
): ResumeTarget<CliId | Own["id"]> | undefined =>
  typeof text === "string" ? withOwn(own).find(text, { quotes: true }) : undefined
