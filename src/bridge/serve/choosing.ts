/**
 * What people choose for a conversation by value instead of by commands: the same values, for the same roles, with the same
 * words where one cannot be.
 */
import { Effect } from "effect"
import { isAtLeast, type Role } from "../access/AccessOptions.ts"
import type { Command } from "../commands/command.ts"
import { parseCommand } from "../commands/parse.ts"
import { rowOf } from "../commands/table.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { PressChoice } from "../messages/Incoming.ts"
import { texts } from "../texts.ts"
import type { ChatMemory } from "./chatMemory.ts"
import type { PressReader } from "./presses.ts"
import type { JournalFailure } from "./voice.ts"

type Wish = Extract<PressChoice, { readonly _tag: "Choose" }>

/** In this order: another agent has another model. */
const names = ["agent", "model", "mode", "effort", "directory"] as const
const commandOf = { agent: "agent", model: "model", mode: "mode", effort: "effort", directory: "dir" } as const

export interface ChoosingOptions {
  readonly agents: ReadonlyArray<string>
  readonly directories: () => ReadonlyArray<string>
  readonly chats: ChatMemory
  /** The next turn begins with what was chosen. */
  readonly close: (conversation: Conversation) => Effect.Effect<void>
  readonly command: (
    command: Command,
    giver: { readonly conversation: Conversation; readonly role: Role; readonly personId: string }
  ) => Effect.Effect<unknown, JournalFailure>
}

type Step = Command | { readonly _tag: "Reset"; readonly name: (typeof names)[number] }

export const makeChoosing = ({ agents, directories, chats, close, command }: ChoosingOptions): PressReader => {
  const step = (name: (typeof names)[number], value: string | null, role: Role): Step | string => {
    const row = rowOf(commandOf[name])
    if (row === undefined || !isAtLeast(role, row.role)) return texts.needsRole(commandOf[name], row?.role ?? "owner")
    if (value === null) return { _tag: "Reset", name }
    if (value.trim() === "") return texts.wrongForm(commandOf[name], value)
    const asWritten: Pick<ChannelMessage, "text" | "attachments" | "addressed"> = {
      text: `/${commandOf[name]} ${value}`,
      attachments: [],
      addressed: true
    }
    const parsed = parseCommand(asWritten, { role, accounts: [], agents, directories: directories() })
    if (parsed._tag === "Given") return parsed.command
    return parsed._tag === "Hint" ? parsed.text : texts.wrongForm(commandOf[name], value)
  }

  /** All of them, or none; undefined: they are chosen. */
  const choose = Effect.fnUntraced(function* (wish: Wish, conversation: Conversation, role: Role, personId: string) {
    const chosen = yield* chats.get(conversation)
    const isOther = wish.agent !== undefined && wish.agent !== (chosen.agent ?? null)
    // That of the agent before.
    const present = isOther ? { ...chosen, model: undefined } : chosen
    const steps = names.flatMap((name) => {
      const value = wish[name]
      if (value === undefined || value === (present[name] ?? null)) return []
      return [step(name, value, role)]
    })
    const refused = steps.find((each) => typeof each === "string")
    if (refused !== undefined) return refused
    for (const each of steps) {
      if (typeof each === "string") continue
      if (each._tag !== "Reset") yield* command(each, { conversation, role, personId })
      else {
        const also = each.name === "agent" ? { model: undefined } : {}
        yield* chats.change(conversation, { [each.name]: undefined, ...also })
        yield* close(conversation)
      }
    }
    return undefined
  })

  return ({ choice, conversation, sender }, role) =>
    choice?._tag === "Choose" ? choose(choice, conversation, role, sender.id) : undefined
}
