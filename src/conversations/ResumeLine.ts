/** The line by which a person goes on with a session of one of the four CLIs: the CLI's own command. Pure, for both doors. */
import { clis } from "../cli/clis.ts"
import { InvalidParams } from "../contract/AgentError.ts"
import type { CliId } from "../contract/CliSupport.ts"
import type { ResumeTarget } from "../contract/Route.ts"
import { hintFor } from "../contract/suggestions.ts"
import { formatResumeLine, isResumableId, makeResumeLineFinder } from "./turns/resumeLine.ts"

export const cliIds: ReadonlyArray<CliId> = Object.keys(clis).filter((id): id is CliId => Object.hasOwn(clis, id))

/** Throws for any other text; `option` is the name of the field. */
export const knownCli = (cli: unknown, option: string): CliId => {
  const known = cliIds.find((id) => id === cli)
  if (known !== undefined) return known
  const name = typeof cli === "string" ? cli : String(typeof cli)
  const problem = `${JSON.stringify(name.slice(0, 100))} is not one of ${cliIds.join(", ")}${hintFor(name, cliIds)}`
  throw new InvalidParams({ option, problem })
}

type FindResumeLine = (text: string, options: { readonly quotes: boolean }) => ResumeTarget<CliId> | undefined
/** Its type is written out, since that of the room leads to Effect, which declarations of the plain door do not name. */
export const findResumeLine: FindResumeLine = makeResumeLineFinder(cliIds.map((id) => [id, clis[id]] as const))

/** Returns the command that resumes the session, in back-ticks. Throws `InvalidParams` for bad CLIs or ids. */
export const resumeLine = ({ cli, sessionId }: ResumeTarget): string => {
  const line = formatResumeLine(clis[knownCli(cli, "cli")], sessionId)
  if (line !== undefined && isResumableId(sessionId)) return line
  const problem =
    "is not an id of 1 to 128 characters, without spaces, quotes and what a shell acts on, not beginning with -"
  throw new InvalidParams({ option: "sessionId", problem })
}

/**
 * The session that the last resume line of a text names, in the CLI's long or short form: `claude -r ID`. The line may
 * begin with `>`, emoji, arrows and back-ticks, and must contain nothing else. Never throws. The author of the text
 * chooses the session: search only texts of people who may resume it.
 */
export const parseResumeLine = (text: string): ResumeTarget<CliId> | undefined =>
  typeof text === "string" ? findResumeLine(text, { quotes: true }) : undefined
