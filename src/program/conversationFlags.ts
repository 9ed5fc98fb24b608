/** The flags by which a run or a chat takes part in a conversation. */
import { Option, Result } from "effect"
import { Flag } from "effect/cli"
import { InvalidParams } from "../contract/AgentError.ts"
import type { ConversationParams } from "../contract/Sessions.ts"

const described = (description: string, metavar: string) => {
  return <A>(flag: Flag.Flag<A>) =>
    flag.pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)
}

export const conversation = Flag.String("conversation").pipe(
  described("Go on with the conversation of this name, or begin it", "NAME")
)

export const whenBusy = Flag.Literals("when-busy", ["wait", "fail", "fork"]).pipe(
  described("While another process uses the session: wait (default: 30s at most), fail, or go on in a copy", "HOW")
)

export const turnId = Flag.String("turn-id").pipe(
  described("Your id of this turn of the conversation: the same id again gives its stored result", "ID")
)

export const onInterrupted = Flag.Literals("on-interrupted", ["fail", "continue", "again"]).pipe(
  described("If this turn's host had died before: fail (default), let the agent continue, or ask it again", "HOW")
)

export interface ConversationFlags {
  readonly conversation: Option.Option<string>
  readonly fresh: boolean
  readonly turnId?: Option.Option<string>
  readonly onInterrupted?: Option.Option<"fail" | "continue" | "again">
}

interface SessionFlags {
  readonly resume: Option.Option<string>
  readonly sessionId: Option.Option<string>
  readonly fork: boolean
  readonly ephemeral: boolean
}

/** Undefined without a conversation. */
export const conversationOf = (
  flags: ConversationFlags & SessionFlags
): Result.Result<ConversationParams | undefined, InvalidParams> => {
  const { conversation: name, fresh, turnId: turn = Option.none(), onInterrupted: how = Option.none() } = flags
  const invalid = (option: string, problem: string) => Result.fail(new InvalidParams({ option, problem }))
  if (Option.isNone(name)) {
    const alone = fresh
      ? "--fresh"
      : Option.isSome(turn)
        ? "--turn-id"
        : Option.isSome(how)
          ? "--on-interrupted"
          : undefined
    return alone === undefined
      ? Result.succeed(undefined)
      : invalid(alone, "is of a conversation: add --conversation NAME")
  }
  if (Option.isSome(flags.resume)) return invalid("--resume", "contradicts --conversation, which knows its session")
  if (Option.isSome(flags.sessionId))
    return invalid("--session-id", "contradicts --conversation, which knows its session")
  if (flags.ephemeral) return invalid("--ephemeral", "contradicts --conversation, which is to last")
  return Result.succeed({
    conversation: name.value,
    fresh,
    ...(Option.isSome(turn) ? { turnId: turn.value } : {}),
    ...(Option.isSome(how) ? { onInterrupted: how.value } : {})
  })
}
