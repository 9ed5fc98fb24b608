/** The form of flags with a value, and the flags by which a run or a chat takes part in a conversation. */
import { Option, Result } from "effect"
import { Flag } from "effect/cli"
import { InvalidParams } from "../contract/AgentError.ts"
import type { ConversationParams } from "../contract/Sessions.ts"
import type { WorktreeOptions } from "../contract/WorktreeOptions.ts"

export const described =
  (description: string, metavar: string) =>
  <A>(flag: Flag.Flag<A>) =>
    flag.pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

export const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(described(description, metavar), Flag.optional)

export const conversation = text("conversation", "NAME", "Go on with the conversation of this name, or begin it")

export const whenBusy = Flag.Literals("when-busy", ["wait", "fail", "fork"]).pipe(
  described("While another process uses the session: wait (default: 30s at most), fail, or go on in a copy", "HOW"),
  Flag.optional
)

export const turnId = text(
  "turn-id",
  "ID",
  "Your id of this turn of the conversation: the same id again gives its stored result"
)

export const onInterrupted = Flag.Literals("on-interrupted", ["fail", "continue", "again"]).pipe(
  described("If this turn's host had died before: fail (default), let the agent continue, or ask it again", "HOW"),
  Flag.optional
)

export interface ConversationFlags {
  readonly conversation: Option.Option<string>
  readonly fresh: boolean
  readonly worktree: boolean
  readonly noWorktree: boolean
  readonly turnId?: Option.Option<string>
  readonly onInterrupted?: Option.Option<"fail" | "continue" | "again">
}

interface SessionFlags {
  readonly resume: Option.Option<string>
  readonly sessionId: Option.Option<string>
  readonly fork: boolean
  readonly ephemeral: boolean
}

/** The configuration of worktrees in the directory. */
export interface WorktreesThere {
  readonly isForEach: boolean
  readonly options: WorktreeOptions
}

/** Undefined without a conversation. */
export const conversationOf = (
  flags: ConversationFlags & SessionFlags,
  there: WorktreesThere
): Result.Result<ConversationParams | undefined, InvalidParams> => {
  const { conversation: name, fresh, turnId: turn = Option.none(), onInterrupted: how = Option.none() } = flags
  const invalid = (option: string, problem: string) => Result.fail(new InvalidParams({ option, problem }))
  if (Option.isNone(name)) {
    const [alone] = [
      ...(fresh ? ["--fresh"] : []),
      ...(flags.worktree ? ["--worktree"] : []),
      ...(Option.isSome(turn) ? ["--turn-id"] : []),
      ...(Option.isSome(how) ? ["--on-interrupted"] : [])
    ]
    return alone === undefined
      ? Result.succeed(undefined)
      : invalid(alone, "is of a conversation: add --conversation NAME")
  }
  const knowsSession = "contradicts --conversation, which knows its session"
  if (Option.isSome(flags.resume)) return invalid("--resume", knowsSession)
  if (Option.isSome(flags.sessionId)) return invalid("--session-id", knowsSession)
  if (flags.ephemeral) return invalid("--ephemeral", "contradicts --conversation, which is to last")
  if (flags.worktree && flags.noWorktree) return invalid("--no-worktree", "contradicts --worktree")
  return Result.succeed({
    conversation: name.value,
    fresh,
    ...(flags.noWorktree ? { worktree: false } : flags.worktree || there.isForEach ? { worktree: there.options } : {}),
    ...(Option.isSome(turn) ? { turnId: turn.value } : {}),
    ...(Option.isSome(how) ? { onInterrupted: how.value } : {})
  })
}
