/** `--continue`, and `--resume` without an id or with the beginning of one → the flags of the chosen session. */
import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { Console, Effect, Option } from "effect"
import type { SessionInfo } from "../../contract/Sessions.ts"
import { harmless } from "../../contract/text/harmless.ts"
import type { ChosenAgent } from "../chosenAgent.ts"
import { badUsage, failWith } from "../exit.ts"
import type { ChatFlags } from "../flags.ts"
import { isIdBeginning } from "../idBeginning.ts"

export interface WithSession {
  readonly isKept: boolean
}

const real = (path: string) => {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

/** The directory of the session, unless `--cwd` names another one. */
const directoryOf = ({ directory }: SessionInfo, { cwd }: ChatFlags, workingDirectory: string) =>
  Option.isSome(cwd) || directory === undefined || directory === workingDirectory ? cwd : Option.some(directory)

export const needsSession = ({ resume, continueLast }: ChatFlags): boolean =>
  continueLast || Option.contains(resume, "") || isIdBeginning(resume)

export const withChosenSession = <Input extends ChatFlags>(input: Input, { cli, options }: ChosenAgent) =>
  Effect.gen(function* () {
    if (input.continueLast && (Option.isSome(input.resume) || Option.isSome(input.conversation))) {
      return yield* failWith("--continue contradicts --resume and --conversation; use only one of them", badUsage)
    }
    const [{ lastSession, pickSession }, { withHistory }, { sessionOfBeginning }] = yield* Effect.promise(() =>
      Promise.all([import("../sessions/pick.ts"), import("../sessions/history.ts"), import("../sessions/wholeId.ts")])
    )
    const workingDirectory = real(Option.getOrElse(input.cwd, () => options.defaults?.workingDirectory ?? "."))
    const { config } = input
    const named = Option.filter(input.resume, (id) => id !== "")
    const session = Option.isSome(named)
      ? yield* sessionOfBeginning(named.value, cli.id, { config })
      : yield* withHistory(
          { config, database: Option.none() },
          input.continueLast ? lastSession(cli.id, workingDirectory) : pickSession(cli.id)
        )
    if (session === undefined) return { ...input, isKept: false }
    const cwd = directoryOf(session, input, workingDirectory)
    if (!input.json && cwd !== input.cwd) {
      yield* Console.error(`reins: the agent works in ${harmless(Option.getOrElse(cwd, () => ""))}, where it began`)
    }
    return { ...input, cwd, resume: Option.some(session.sessionId), isKept: session.id !== undefined }
  })
