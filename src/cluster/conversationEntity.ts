/**
 * A conversation in the cluster, as the engine knows it: an entity whose id begins with the group of its home, so that only
 * its home serves it. Messages carry ids; params and results of turns are in the store.
 */
import { createHash } from "node:crypto"
import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { PermissionMode } from "../contract/AgentExecuteParams.ts"
import { Answers } from "../contract/SessionEvent.ts"
import { mostHomes } from "./homes.ts"

/** Shard group of a home, by its number. */
export const groupOf = (slot: number) => `home${slot}`
/** The groups of all possible homes. */
export const groups: ReadonlyArray<string> = Array.from({ length: mostHomes }, (_, at) => groupOf(at + 1))
const Id = Schema.String.check(Schema.isMaxLength(200))
const Text = Schema.String.check(Schema.isMaxLength(1_000_000))

/** Each message has an id of its own, so that it is handled once. `conversation`: the text of its key. */
const message = { messageId: Id, conversation: Text }
const byMessage = { primaryKey: ({ messageId }: { readonly messageId: string }) => messageId }

/** The failure of a request, as a sentence. */
export class Unasked extends Schema.TaggedError<Unasked>()("Unasked", { message: Schema.String }) {}

/** Announces a turn in the store. Answered when it is over. */
const Turn = Rpc.make("Turn", {
  payload: { turnId: Id, attempt: Schema.Int },
  primaryKey: ({ turnId, attempt }) => `${turnId}/${attempt}`
})

const answered = { ...byMessage, success: Schema.Boolean, error: Unasked }

/** Steers the running turn; false if none is running, or it does not take the text. */
const Send = Rpc.make("Send", { payload: { ...message, text: Text }, ...answered })

/** `answer`: JSON of a `PlanAnswer`. */
const Decide = Rpc.make("Decide", { payload: { ...message, requestId: Id, answer: Text }, ...answered })

const Answer = Rpc.make("Answer", {
  payload: {
    ...message,
    requestId: Id,
    answers: Schema.NullOr(Answers),
    person: Schema.NullOr(Id),
    where: Schema.NullOr(Id)
  },
  ...answered
})

/** Answers false if the turn is not running. */
const Interrupt = Rpc.make("Interrupt", {
  payload: { ...message, turnId: Id },
  ...byMessage,
  success: Schema.Boolean
})

/** Changes the conversation's live session, for its next turn. */
const Change = Rpc.make("Change", {
  payload: { ...message, model: Schema.NullOr(Id), permissionMode: Schema.NullOr(PermissionMode) },
  ...answered
})

const Close = Rpc.make("Close", { payload: message, ...byMessage })
export const Conversation = Entity.make("Conversation", [Turn, Send, Decide, Answer, Interrupt, Change, Close])
  .annotateRpcs(ClusterSchema.Persisted, true)
  .annotate(ClusterSchema.ShardGroup, (id) => String(id).split("/")[0] ?? "")

/** `conversation`: the text of its key; the id of a turn without one. */
export const entityId = (slot: number, cli: string, conversation: string) =>
  `${groupOf(slot)}/${cli.slice(0, 40)}/${createHash("sha256").update(conversation).digest("hex")}`
