/**
 * Commands that were taken in, at work. Each is answered, once: what the store does not take is tried again, and what a
 * host that dies leaves is done by the next one.
 */
import { Cause, Effect } from "effect"
import type { Role } from "../access/AccessOptions.ts"
import type { Command } from "../commands/command.ts"
import { commandOf } from "../journal/inbox.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { texts } from "../texts.ts"
import type { makeControl } from "./control.ts"
import { surely } from "./surely.ts"
import type { Voice } from "./voice.ts"

export interface CommandingOptions {
  readonly control: ReturnType<typeof makeControl>
  readonly voice: Pick<Voice, "notice" | "wake">
  readonly inbox: Pick<AccountJournal["inbox"], "finish">
  /** In the background. */
  readonly later: (work: Effect.Effect<void>) => Effect.Effect<unknown>
}

export const makeCommanding =
  ({ control, voice, inbox, later }: CommandingOptions) =>
  (command: Command, { conversation, sender, updateId }: ChannelMessage, role: Role): Effect.Effect<void> => {
    const done = surely("a command", control(command, { conversation, role, personId: sender.id })).pipe(
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logError("a command broke off", defect), { text: texts.notDone, isError: true })
      )
    )
    const answered = Effect.gen(function* () {
      const pieces = voice.notice(conversation, yield* done, `${conversation.chatId}/${updateId}/said`)
      yield* surely("the answer to a command", inbox.finish(commandOf(updateId), pieces))
      yield* voice.wake
    })
    return answered.pipe(
      Effect.catchCause((cause) =>
        // The host ends: the next one does it.
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : Effect.logWarning("a command could not be answered", Cause.squash(cause))
      ),
      later,
      Effect.asVoid
    )
  }
