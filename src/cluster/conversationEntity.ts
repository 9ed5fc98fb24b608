/**
 * A conversation in the cluster, as the engine knows it: an entity whose id begins with the group of its home, so that its
 * home alone serves it. Messages carry ids; what a turn is asked with, and what comes of it, is in the store.
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

/** All that there can be. */
export const groups: ReadonlyArray<string> = Array.from({ length: mostHomes }, (_, at) => groupOf(at + 1))

const Id = Schema.String.check(Schema.isMaxLength(200))
const Text = Schema.String.check(Schema.isMaxLength(1_000_000))

/** Each message is a new one: what it asks for is done once. `conversation`: the text of its key. */
const message = { messageId: Id, conversation: Text }
const byMessage = ({ messageId }: { readonly messageId: string }) => messageId

/** A failure of what was asked, as its sentence. */
export class Unasked extends Schema.TaggedError<Unasked>()("Unasked", { message: Schema.String }) {}

/** There is something to do: the turn is in the store. Answered when it is over. */
const Turn = Rpc.make("Turn", {
  payload: { turnId: Id, attempt: Schema.Int },
  primaryKey: ({ turnId, attempt }) => `${turnId}/${attempt}`
})

/** A text for the turn that is running; false: none is, or it takes nothing up. */
const Send = Rpc.make("Send", {
  payload: { ...message, text: Text },
  primaryKey: byMessage,
  success: Schema.Boolean,
  error: Unasked
})

/** `answer`: JSON of a `PlanAnswer`. */
const Decide = Rpc.make("Decide", {
  payload: { ...message, requestId: Id, answer: Text },
  primaryKey: byMessage,
  success: Schema.Boolean,
  error: Unasked
})

const Answer = Rpc.make("Answer", {
  payload: {
    ...message,
    requestId: Id,
    answers: Schema.NullOr(Answers),
    person: Schema.NullOr(Id),
    where: Schema.NullOr(Id)
  },
  primaryKey: byMessage,
  success: Schema.Boolean,
  error: Unasked
})

/** A turn; false: it is not running. */
const Interrupt = Rpc.make("Interrupt", {
  payload: { ...message, turnId: Id },
  primaryKey: byMessage,
  success: Schema.Boolean
})

/** A change of the conversation's live session, for its next turn. */
const Change = Rpc.make("Change", {
  payload: { ...message, model: Schema.NullOr(Id), permissionMode: Schema.NullOr(PermissionMode) },
  primaryKey: byMessage,
  success: Schema.Boolean,
  error: Unasked
})

/** The live session of the conversation, if it has one. */
const Close = Rpc.make("Close", { payload: message, primaryKey: byMessage })

export const Conversation = Entity.make("Conversation", [Turn, Send, Decide, Answer, Interrupt, Change, Close])
  .annotateRpcs(ClusterSchema.Persisted, true)
  .annotate(ClusterSchema.ShardGroup, (id) => String(id).split("/")[0] ?? "")

/** `conversation`: the text of its key; of a turn outside of conversations, its id. */
export const entityId = (slot: number, cli: string, conversation: string) =>
  `${groupOf(slot)}/${cli.slice(0, 40)}/${createHash("sha256").update(conversation).digest("hex")}`
