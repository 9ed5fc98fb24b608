/** The request of a turn, checked: our part, the parameters for the agent, and the digest that identifies it. */
import { createHash } from "node:crypto"
import { Predicate, Result, Schema } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import { makeParser } from "../../contract/checkInput.ts"
import type { OnInterrupted, WhenBusy } from "../../contract/Sessions.ts"
import { WorktreeOptions } from "../../contract/WorktreeOptions.ts"
import { conversationKey, type KeyParts } from "./conversationKey.ts"

export interface TurnRequest<Params> {
  readonly key: KeyParts | undefined
  readonly turnId: string | undefined
  readonly fresh: boolean
  readonly onMissing: "fail" | "fresh"
  readonly onInterrupted: OnInterrupted
  readonly whenBusy: WhenBusy
  /** Default: the worktree that the conversation has already. */
  readonly worktree: WorktreeOptions | false | undefined
  /** For the agent, which checks them. */
  readonly params: Params
}

const TurnId = Schema.String.check(
  Schema.makeFilter((id) => id.length >= 1 && id.length <= 128 && !/\p{Cc}/u.test(id), {
    expected: "1 to 128 characters without control characters"
  })
)

const ofTurns = {
  turnId: Schema.optional(TurnId),
  onInterrupted: Schema.optional(Schema.Literals(["fail", "continue", "again"]))
}

const fields = {
  ...ofTurns,
  fresh: Schema.optional(Schema.Boolean),
  onMissing: Schema.optional(Schema.Literals(["fail", "fresh"])),
  worktree: Schema.optional(Schema.Union([Schema.Boolean, WorktreeOptions]))
}

/** Our part of the options of a live session's turn. */
export const parseTurnIdentity = makeParser(Schema.Struct(ofTurns), "options")
const parse = makeParser(Schema.Struct(fields), "params")
const invalid = (option: string, problem: string) => Result.fail(new InvalidParams({ option, problem }))
/** Parameters that choose the session themselves. */
const chosenByCaller = ["newSessionId", "ephemeral"] as const

const clash = (
  key: KeyParts | undefined,
  params: Partial<AgentExecuteParams>,
  fresh: boolean
): readonly [string, string] | undefined => {
  if (key === undefined) return undefined
  const option = chosenByCaller.find((name) => params[name] !== undefined && params[name] !== false)
  if (option !== undefined)
    return [option, "is not for a conversation, which has its own session: leave one of them out"]
  if (!fresh) return undefined
  if (params.sessionId !== undefined) return ["sessionId", "is the session to go on with, but fresh begins a new one"]
  if (params.forkSession === true) return ["forkSession", "needs a session, but fresh begins a new one"]
  return undefined
}

/** `input` may be anything, from JavaScript. The agent checks its own parameters. */
export const turnRequest = <Params extends Partial<AgentExecuteParams>>(
  input: unknown
): Result.Result<TurnRequest<Params>, InvalidParams> => {
  if (!Predicate.isObject(input) || Array.isArray(input)) return invalid("params", "is not an object")
  const { conversation, turnId, fresh, onMissing, onInterrupted, worktree, ...rest } = input as Record<string, unknown>
  const key = conversation === undefined ? Result.succeed(undefined) : conversationKey(conversation)
  if (Result.isFailure(key)) return Result.fail(key.failure)
  const own = parse({ turnId, fresh, onMissing, onInterrupted, worktree })
  if (Result.isFailure(own)) return Result.fail(own.failure)
  const params = rest as Params // the agent checks them
  const isFresh = own.success.fresh === true
  const problem = clash(key.success, params, isFresh)
  if (problem !== undefined) return invalid(...problem)
  const { worktree: tree } = own.success
  if (tree !== undefined && tree !== false && key.success === undefined) {
    return invalid("worktree", "is for a conversation: name one")
  }
  const isNamed = params.sessionId !== undefined || key.success === undefined
  return Result.succeed({
    key: key.success,
    turnId: own.success.turnId,
    fresh: isFresh,
    onMissing: own.success.onMissing ?? (isNamed ? "fail" : "fresh"),
    onInterrupted: own.success.onInterrupted ?? "fail",
    whenBusy: whenBusyOf(rest["whenBusy"]),
    worktree: tree === true ? {} : tree,
    params
  })
}

/** The agent refuses other words. */
const whenBusyOf = (value: unknown): WhenBusy => (value === "fail" || value === "fork" ? value : "wait")

/** Replaces bytes by their hash. */
const attachmentFacts = (attachment: unknown): unknown => {
  if (!Predicate.isObject(attachment)) return attachment
  return Object.entries(attachment)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => [
      name,
      value instanceof Uint8Array ? createHash("sha256").update(value).digest("hex") : value
    ])
}

/** Hexadecimal SHA-256. */
export const turnDigest = (
  key: KeyParts | undefined,
  { prompt, attachments = [] }: { readonly prompt?: unknown; readonly attachments?: unknown }
): string => {
  const files: ReadonlyArray<unknown> = Array.isArray(attachments) ? attachments : [attachments]
  const facts = [key ?? null, prompt ?? null, files.map(attachmentFacts)]
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex")
}
