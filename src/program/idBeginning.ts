/** Recognises the beginning of a session's id: whole ids go to the CLI as they are, and so does all else, such as a title. */
import { Effect, Option } from "effect"

/** The beginning of a UUID, or of an id of OpenCode, with at least eight characters. */
const beginning = /^(?:[0-9a-f]{8}[0-9a-f-]{0,27}|ses_\w{4,25})$/i

export const isIdBeginning = (resume: Option.Option<string>): boolean =>
  Option.exists(resume, (id) => id.length < 36 && beginning.test(id))

/** The flags with the whole id of the session. Only for the beginning of an id the store is opened. */
export const withWholeId = <
  Input extends { readonly resume: Option.Option<string>; readonly config: Option.Option<string> }
>(
  input: Input,
  cli: string
) =>
  Effect.gen(function* () {
    if (Option.isNone(input.resume) || !isIdBeginning(input.resume)) return input
    const { sessionOfBeginning } = yield* Effect.promise(() => import("./sessions/wholeId.ts"))
    const session = yield* sessionOfBeginning(input.resume.value, cli, input)
    return session === undefined ? input : { ...input, resume: Option.some(session.sessionId) }
  })
