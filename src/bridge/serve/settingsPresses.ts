/** Settings that people choose by value instead of by commands: the same values, roles and refusals. */
import { Effect } from "effect"
import { untraced } from "../../contract/untraced.ts"
import { isAtLeast, type Role } from "../access/AccessOptions.ts"
import { type Command, rowOf } from "../commands/command.ts"
import { parseCommand } from "../commands/parse.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { PressChoice } from "../messages/Incoming.ts"
import { texts } from "../texts.ts"
import { Bridge } from "./account.ts"
import { ChatMemory } from "./chatMemory.ts"
import { type CommandSender, Commands } from "./commandRunner.ts"
import type { PressReader } from "./pressReader.ts"
import type { JournalFailure } from "./replies.ts"

type Choice = Extract<PressChoice, { readonly _tag: "Choose" }>

/** The agent first: another agent has another model. */
const names = ["agent", "model", "mode", "effort", "directory"] as const
const commandNames = { agent: "agent", model: "model", mode: "mode", effort: "effort", directory: "dir" } as const

export interface SettingsPressesOptions {
  readonly agents: ReadonlyArray<string>
  readonly directories: () => ReadonlyArray<string>
  readonly chats: ChatMemory["Service"]
  readonly close: (conversation: Conversation) => Effect.Effect<void>
  readonly execute: (command: Command, sender: CommandSender) => Effect.Effect<unknown, JournalFailure>
}

type Step = Command | { readonly _tag: "Reset"; readonly name: (typeof names)[number] }

export const settingsReader = ({ agents, directories, chats, close, execute }: SettingsPressesOptions): PressReader => {
  const step = (name: (typeof names)[number], value: string | null, role: Role): Step | string => {
    const row = rowOf(commandNames[name])
    if (row === undefined || !isAtLeast(role, row.role))
      return texts.needsRole(commandNames[name], row?.role ?? "owner")
    if (value === null) return { _tag: "Reset", name }
    if (value.trim() === "") return texts.wrongForm(commandNames[name], value)
    const asMessage = { text: `/${commandNames[name]} ${value}`, attachments: [], addressed: true }
    const parsed = parseCommand(asMessage, { role, accounts: [], agents, directories: directories() })
    if (parsed._tag === "Given") return parsed.command
    return parsed._tag === "Hint" ? parsed.text : texts.wrongForm(commandNames[name], value)
  }

  /** Applies all values or none; returns the reason if one is refused. */
  const choose = Effect.fn(...untraced("SettingsPresses.choose"))(function* (choice: Choice, sender: CommandSender) {
    const { conversation, role } = sender
    const chosen = yield* chats.get(conversation)
    const isOther = choice.agent !== undefined && choice.agent !== (chosen.agent ?? null)
    // The model was that of the previous agent.
    const present = isOther ? { ...chosen, model: undefined } : chosen
    const steps = names.flatMap((name) => {
      const value = choice[name]
      if (value === undefined || value === (present[name] ?? null)) return []
      return [step(name, value, role)]
    })
    const refused = steps.find((each) => typeof each === "string")
    if (refused !== undefined) return refused
    for (const each of steps) {
      if (typeof each === "string") continue
      if (each._tag !== "Reset") yield* execute(each, sender)
      else {
        const also = each.name === "agent" ? { model: undefined } : {}
        yield* chats.change(conversation, { [each.name]: undefined, ...also })
        yield* close(conversation)
      }
    }
    return undefined
  })

  return ({ choice, conversation, updateId, sender }, role) =>
    choice?._tag === "Choose" ? choose(choice, { conversation, updateId, role, personId: sender.id }) : undefined
}

export const settingsPresses = Effect.gen(function* () {
  const { options, core } = yield* Bridge
  const { execute } = yield* Commands
  return settingsReader({
    chats: yield* ChatMemory,
    agents: Object.keys(options.agents),
    directories: () => Object.keys(options.directories),
    close: core.close,
    execute
  })
})
