/**
 * The changes of chats in their worktrees: `/changes`, its buttons, and the same for a channel that draws them itself. An
 * action may name the commit whose files were shown; it is refused once they are others.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { WorktreeError } from "../../contract/WorktreeError.ts"
import type { WorktreeChanges } from "../../contract/Worktrees.ts"
import { literal } from "../../conversations/export/markdownText.ts"
import { isAtLeast, type Role } from "../access/AccessOptions.ts"
import {
  type ChangesDone,
  changesReply,
  changesTexts,
  discardQuestion,
  doneText,
  readChangesPress,
  refusalText,
  shortId
} from "../commands/changesText.ts"
import type { Command } from "../commands/command.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import type { ChangesActed, ChangesAction, ChangesSight } from "../messages/Sight.ts"
import { texts } from "../texts.ts"
import { planOf } from "../turn/agents.ts"
import { Account, Bridge } from "./account.ts"
import { ChatMemory } from "./chatMemory.ts"
import { Files } from "./files.ts"
import type { PressReader } from "./pressReader.ts"
import { fileReplyOf, textReply } from "./records.ts"
import { Replies, retryWhileStoreFails } from "./replies.ts"

type ChangesCommand = Extract<Command, { readonly _tag: "Changes" }>

export class Changes extends Context.Service<
  Changes,
  ChangesSight & {
    /** The reply to a command; its sender has the role for it. */
    readonly command: (command: ChangesCommand, conversation: Conversation, role: Role) => Effect.Effect<ReplyPayload>
    readonly press: PressReader
  }
>()("reins/bridge/Changes") {
  static readonly layer = Layer.effect(
    Changes,
    Effect.suspend(() => makeChanges)
  )
}

/** Another reader, or the end of a turn, may be at it for a moment. */
const patience = {
  while: ({ reason }: WorktreeError) => reason._tag === "WorktreeBusy",
  schedule: Schedule.spaced("200 millis"),
  times: 20
}
const mostRemembered = 200

const makeChanges = Effect.gen(function* () {
  const { options, core, worktrees } = yield* Bridge
  const { channel, hasButtons, inBackground } = yield* Account
  const [chats, files, replies] = [yield* ChatMemory, yield* Files, yield* Replies]
  const fileReply = fileReplyOf(channel)
  /** The last changes of each conversation: a commit and its base name the same files for ever. */
  const last = new Map<string, WorktreeChanges>()

  const read = Effect.fn(...untraced("Changes.read"))(function* (
    conversation: Conversation,
    reading?: { readonly patch: boolean }
  ): Effect.fn.Return<WorktreeChanges | undefined, WorktreeError> {
    const worktree = yield* core.worktree(conversation)
    if (worktree === undefined) return undefined
    const { patch, ...changes }: WorktreeChanges = yield* Effect.retry(
      worktrees.changes(worktree.path, reading),
      patience
    )
    const text = conversationText(conversation)
    last.delete(text)
    last.set(text, changes)
    const [oldest] = last.keys()
    if (last.size > mostRemembered && oldest !== undefined) last.delete(oldest)
    return patch === undefined ? changes : { ...changes, patch }
  })

  const diff: Changes["Service"]["diff"] = Effect.fn(...untraced("Changes.diff"))(function* (
    conversation,
    { commit, path, maxBytes }
  ) {
    const known = last.get(conversationText(conversation))
    const changes = known?.commit === commit ? known : yield* read(conversation)
    if (changes === undefined || changes.commit !== commit) return undefined
    return yield* worktrees.diff(changes.worktree.path, { base: changes.base, commit, path, maxBytes })
  })

  const perform = Effect.fn(...untraced("Changes.perform"))(function* (
    { worktree, files: changed, commit: expected }: WorktreeChanges,
    { act, message }: ChangesAction
  ): Effect.fn.Return<ChangesDone, WorktreeError> {
    switch (act) {
      case "apply":
        return { act, worktree, files: (yield* worktrees.apply(worktree.path, { expected })).length }
      case "commit":
        return { act, worktree, commit: yield* worktrees.commit(worktree.path, { message, expected }) }
      case "discard": {
        yield* worktrees.discard(worktree.path, { expected })
        return { act, worktree, files: changed.length }
      }
    }
  })

  const act = Effect.fn(...untraced("Changes.act"))(function* (
    conversation: Conversation,
    action: ChangesAction
  ): Effect.fn.Return<ChangesActed, WorktreeError> {
    const changes = yield* read(conversation)
    if (changes === undefined) return { _tag: "NoWorktree" }
    if (action.commit !== undefined && shortId(changes.commit) !== shortId(action.commit)) return { _tag: "Stale" }
    return yield* perform(changes, action).pipe(
      Effect.map((done): ChangesActed => ({ _tag: "Done", text: doneText(done) })),
      Effect.catchIf(
        ({ reason }) => reason._tag === "ChangedSince",
        () => Effect.succeed<ChangesActed>({ _tag: "Stale" })
      )
    )
  })

  const noWorktree = Effect.fn(...untraced("Changes.noWorktree"))(function* (conversation: Conversation) {
    const { worktree } = planOf(options, yield* chats.get(conversation)).params
    const isComing = worktree !== undefined && worktree !== false
    return textReply(isComing ? changesTexts.notYet : changesTexts.none)
  })

  const listReply = Effect.fn(...untraced("Changes.listReply"))(function* (conversation: Conversation, role: Role) {
    const changes = yield* read(conversation)
    if (changes === undefined) return yield* noWorktree(conversation)
    return changesReply(changes, { mayAct: isAtLeast(role, "admin"), hasButtons })
  })

  const patchReply = Effect.fn(...untraced("Changes.patchReply"))(function* (conversation: Conversation) {
    if (channel.limits.uploadBytes <= 0) return textReply(texts.noFilesHere)
    const changes = yield* read(conversation, { patch: true })
    if (changes === undefined) return yield* noWorktree(conversation)
    const { patch, commit, files: changed } = changes
    if (changed.length === 0) return textReply(changesTexts.noPatch)
    if (patch === undefined || Buffer.byteLength(patch) > channel.limits.uploadBytes) {
      return textReply(changesTexts.patchTooLarge)
    }
    return fileReply(yield* files.write(`changes-${shortId(commit)}.patch`, patch))
  })

  const actReply = Effect.fn(...untraced("Changes.actReply"))(function* (
    conversation: Conversation,
    action: ChangesAction,
    role: Role
  ) {
    const acted = yield* act(conversation, action)
    if (acted._tag === "NoWorktree") return yield* noWorktree(conversation)
    if (acted._tag === "Done") return textReply(literal(acted.text))
    const reply = yield* listReply(conversation, role)
    return { ...reply, text: `${changesTexts.stale}\n\n${reply.text ?? ""}` }
  })

  /** Asks before it discards, where there are buttons for the answer. */
  const discardReply = Effect.fn(...untraced("Changes.discardReply"))(function* (
    conversation: Conversation,
    commit: string | undefined,
    role: Role
  ) {
    const changes = yield* read(conversation)
    if (changes === undefined) return yield* noWorktree(conversation)
    if (commit !== undefined && shortId(changes.commit) !== commit) {
      return yield* actReply(conversation, { act: "discard", commit }, role)
    }
    if (changes.files.length === 0) return changesReply(changes, { mayAct: true, hasButtons })
    return discardQuestion(changes, { hasButtons })
  })

  const inWords = (work: Effect.Effect<ReplyPayload, WorktreeError>): Effect.Effect<ReplyPayload> =>
    Effect.catch(work, (error) => Effect.succeed({ text: literal(refusalText(error)), isError: true }))

  const command: Changes["Service"]["command"] = (input, conversation, role) => {
    switch (input.do) {
      case "show":
        return inWords(listReply(conversation, role))
      case "patch":
        return inWords(patchReply(conversation))
      case "discard":
        return inWords(
          input.commit === undefined
            ? discardReply(conversation, undefined, role)
            : actReply(conversation, { act: "discard", commit: input.commit }, role)
        )
      case "apply":
      case "commit":
        return inWords(actReply(conversation, { act: input.do, message: input.message }, role))
    }
  }

  /** The work may take longer than an acknowledgement may: its reply is a message. */
  const replyLater = (conversation: Conversation, updateId: string, reply: Effect.Effect<ReplyPayload>) =>
    inBackground(
      Effect.flatMap(reply, (payload) =>
        retryWhileStoreFails(
          "the result of a press",
          replies.send(conversation, payload, `${conversation.chatId}/${updateId}/changes`)
        )
      ).pipe(Effect.catchCause((cause) => Effect.logWarning("the result of a press could not be shown", cause)))
    )

  const press: PressReader = ({ data, conversation, updateId }, role) => {
    const pressed = readChangesPress(data)
    if (pressed === undefined) return undefined
    if (!isAtLeast(role, "admin")) return Effect.succeed(texts.needsRole("changes", "admin"))
    const { commit } = pressed
    const reply = (work: Effect.Effect<ReplyPayload, WorktreeError>, settled: string) =>
      Effect.as(replyLater(conversation, updateId, inWords(work)), { settled })
    switch (pressed.press) {
      case "apply":
        return reply(actReply(conversation, { act: "apply", commit }, role), "Apply")
      case "commit":
        return reply(actReply(conversation, { act: "commit", commit }, role), "Commit")
      case "discard":
        return reply(discardReply(conversation, commit, role), "Discard?")
      case "discardNow":
        return reply(actReply(conversation, { act: "discard", commit }, role), "Discard")
      case "keep":
        return Effect.succeed({ settled: changesTexts.kept })
    }
  }

  const store = Effect.fn(...untraced("Changes.store"))(function* (conversation: Conversation) {
    const worktree = yield* core.worktree(conversation)
    if (worktree === undefined || worktree.state === "stored") return
    // Its agent works in the files.
    yield* core.close(conversation)
    yield* Effect.retry(worktrees.remove(worktree.path), patience)
  })

  return Changes.of({ read, diff, act, store, command, press })
})
